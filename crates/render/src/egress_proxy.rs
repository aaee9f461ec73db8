//! The loopback proxy all of the browser's traffic goes through.
