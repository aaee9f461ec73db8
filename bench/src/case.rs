//! One step of the hot path, by its name.

/// What is done again and again: says what it found.
pub(crate) type Step = Box<dyn FnMut() -> usize>;

/// A step with its input.
pub(crate) struct Case {
    /// `room-step-input`.
    pub(crate) name: String,
    /// How often it is done in the shorter of the two runs; the longer one does it twice as often.
    pub(crate) times: usize,
    /// What each step must find.
    finds: usize,
    prepare: Box<dyn FnOnce(usize) -> Step>,
}

impl Case {
    /// `prepare` is told how often the step may be done, for steps that use something up. It does the same however
    /// often that will be, or its own cost would be counted.
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

    /// Does it so many times.
    pub(crate) fn run(self, times: usize) -> Result<(), String> {
        let most = self.times * 2;
        if times > most {
            return Err(format!("{} can be done {most} times at most", self.name));
        }
        let mut step = (self.prepare)(most);
        match repeat(&mut *step, times, self.finds) {
            None => Ok(()),
            Some(found) => Err(format!("{} found {found}, not {}", self.name, self.finds)),
        }
    }
}

/// The steps alone; what is found instead of what should be. Its name is what `cargo xtask micro --where` looks for.
#[inline(never)]
fn repeat(step: &mut dyn FnMut() -> usize, times: usize, finds: usize) -> Option<usize> {
    (0..times).map(|_| step()).find(|found| *found != finds)
}
