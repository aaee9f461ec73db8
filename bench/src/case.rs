//! One step of the hot path.

/// The repeated function; returns what it found.
pub(crate) type Step = Box<dyn FnMut() -> usize>;

/// A step and its input.
pub(crate) struct Case {
    /// `step-input`.
    pub(crate) name: String,
    /// Repetitions in the shorter of the two runs; the longer one does twice as many.
    pub(crate) times: usize,
    /// Expected result of each step.
    finds: usize,
    prepare: Box<dyn FnOnce(usize) -> Step>,
}

impl Case {
    /// `prepare` gets the largest number of repetitions, for steps that consume their input. It must do the same work
    /// whatever the number, or its own cost would be counted.
    pub(crate) fn new(
        name: impl Into<String>,
        times: usize,
        finds: usize,
        prepare: impl FnOnce(usize) -> Step + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            times,
            finds,
            prepare: Box::new(prepare),
        }
    }

    /// Runs the step this many times.
    pub(crate) fn run(self, times: usize) -> Result<(), String> {
        let most = self.times * 2;
        if times > most {
            return Err(format!(
                "{} can be repeated {most} times at most",
                self.name
            ));
        }
        let mut step = (self.prepare)(most);
        match repeat(&mut *step, times, self.finds) {
            None => Ok(()),
            Some(found) => Err(format!("{} found {found}, not {}", self.name, self.finds)),
        }
    }
}

/// Runs the steps alone and returns a wrong result, if any. `cargo xtask micro --where` looks for this function's name.
#[inline(never)]
fn repeat(step: &mut dyn FnMut() -> usize, times: usize, finds: usize) -> Option<usize> {
    (0..times).map(|_| step()).find(|found| *found != finds)
}
