// Every command. A new one is declared in one of these folders, in a file of its own or beside a similar command, and listed here.

extension CommandTable {
    package static let all = CommandTable([
        .new, .send, .state, .view, .events, .force, .restart, .drop, .undrop, .retry, .withdraw, .sessions, .history,
        .timers, .pause, .resume, .extend, .next, .clock, .advance,
        .flows, .describe, .diagram,
        .bluetooth,
        .subscribe, .psubscribe, .ssubscribe, .unsubscribe, .punsubscribe, .sunsubscribe,
        .cluster, .readonly, .readwrite, .asking,
        .multi, .exec, .discard, .watch, .unwatch,
        .info, .config, .command, .backup, .reload, .page,
        .hello, .auth, .ping, .echo, .quit, .reset, .select, .client, .acl,
    ])
}
