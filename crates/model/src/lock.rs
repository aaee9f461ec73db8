//! Locks a mutex.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, ignoring poisoning: every critical section of the project leaves its data valid, and a panic in one is
/// reported where it happens.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_does_not_make_data_inaccessible() {
        let mutex = Mutex::new(1);
        std::thread::scope(|scope| {
            let panicking = scope.spawn(|| {
                *lock(&mutex) = 2;
                let _guard = lock(&mutex);
                panic!("while the mutex is locked");
            });
            panicking.join().expect_err("a panic");
        });
        assert!(mutex.is_poisoned());
        assert_eq!(*lock(&mutex), 2);
    }
}
