// The list of built-in flows.

import GameFlow

extension FlowKind {
    /// All built-in flows. The flow `startup` does its work through `session` and `authenticator`, on the executor.
    public static func builtIn(
        executor: (any TaskExecutor)? = nil, session: any SavedSession, authenticator: any Authenticator
    ) -> [FlowKind] {
        let startup = FlowKind.flow(Startup.self) { $0.work(with: session, authenticator) }
        startup.executor = executor
        return [
            .flow(Game.self), startup, .flow(Registration.self), .flow(Onboarding.self), .flow(Permissions.self),
            .flow(Turns.self),
        ]
    }
}
