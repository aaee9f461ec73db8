//! One step of the hot path.

/// The function to repeat; returns a number to check.
pub(crate) type Step = Box<dyn FnMut() -> usize>;

/// A step and its input.
pub(crate) struct Case {
    /// Name, in the form `step-input`.
    pub(crate) name: String,
    /// Repetitions in the shorter of the two runs; the longer one does twice as many.
    pub(crate) times: usize,
    /// Expected result of each step.
    expected: usize,
    prepare: Box<dyn FnOnce(usize) -> Step>,
}

impl Case {
    /// `prepare` is called with the maximum number of repetitions, for steps that consume their input. It must do the same
    /// work for any number, or its own cost would be counted.
    pub(crate) fn new(
        name: impl Into<String>,
        times: usize,
        expected: usize,
        prepare: impl FnOnce(usize) -> Step + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            times,
            expected,
            prepare: Box::new(prepare),
        }
    }

    /// Runs the step the given number of times.
    pub(crate) fn run(self, times: usize) -> Result<(), String> {
        let max_times = self.times * 2;
        if times > max_times {
            return Err(format!(
                "{} can be repeated at most {max_times} times",
                self.name
            ));
        }
        let mut step = (self.prepare)(max_times);
        match repeat(&mut *step, times, self.expected) {
            None => Ok(()),
            Some(found) => Err(format!(
                "{} found {found}, not {}",
                self.name, self.expected
            )),
        }
    }
}

/// Runs only the steps and returns the first wrong result, if any. `cargo xtask micro --where` looks for this function by
/// name.
#[inline(never)]
fn repeat(step: &mut dyn FnMut() -> usize, times: usize, expected: usize) -> Option<usize> {
    (0..times).map(|_| step()).find(|found| *found != expected)
}
