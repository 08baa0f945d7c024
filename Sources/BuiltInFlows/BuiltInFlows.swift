// The flows that come with gamed, as a list.

import GameFlow

extension FlowKind {
    /// All of them. The flow `startup` has its work done by these two, on the executor.
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
