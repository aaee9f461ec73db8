//! The options that `Crawl` and `Scrape` have in common.

/// Defines the methods that set how pages are requested, for a builder whose field `$spec` is the
/// [`RequestSpec`](crawler_model::RequestSpec).
macro_rules! request_options {
    ($($spec:ident).+) => {
        /// Sets the time limit for one request (`--timeout`).
        pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
            self.$($spec).+.timeout = Some(timeout);
            self
        }

        /// Sets the maximum number of attempts at one page, including the first; temporary failures are retried
        /// (`--max-attempts` of `crawler crawl`).
        pub fn max_attempts(mut self, attempts: u32) -> Self {
            self.$($spec).+.max_attempts = Some(attempts);
            self
        }

        /// Sets the maximum number of redirects for one URL (`--max-redirects` of `crawler crawl`).
        pub fn max_redirects(mut self, redirects: u32) -> Self {
            self.$($spec).+.max_redirects = Some(redirects);
            self
        }

        /// Sets the maximum length of a page, after decompression; the rest is cut off (`--max-body-bytes` of
        /// `crawler crawl`).
        pub fn max_body_bytes(mut self, bytes: u64) -> Self {
            self.$($spec).+.max_body_bytes = Some(bytes);
            self
        }

        /// Sets whether robots.txt is obeyed (`--robots`).
        pub fn robots(mut self, policy: crate::RobotsPolicy) -> Self {
            self.$($spec).+.robots = policy;
            self
        }

        /// Sets the User-Agent header; robots.txt is matched on the part before `/` or a space (`--user-agent`).
        pub fn user_agent(mut self, agent: impl Into<String>) -> Self {
            self.$($spec).+.user_agent = Some(agent.into());
            self
        }

        /// Adds a header, sent to the origin of the given URL only; call it again for more (`--header`).
        pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
            self.$($spec).+.headers.push((name.into(), value.into()));
            self
        }

        /// Adds an HTTP proxy, such as `http://user:password@127.0.0.1:3128`; several are used in turn (`--proxy`).
        pub fn proxy(mut self, url: impl Into<String>) -> Self {
            self.$($spec).+.proxies.push(url.into());
            self
        }
    };
}

pub(crate) use request_options;
