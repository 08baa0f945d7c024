// The list of built-in flows.

import GameFlow

/// The services that the built-in flows use.
public struct BuiltInWork: Sendable {
    /// Finds the session's user, in the flow `startup`.
    public var savedSession: any SavedSession = StoredUser()
    /// Logs people in, in the flow `startup`.
    public var authenticator: any Authenticator
    /// Loads accounts, in the flow `onboarding`.
    public var accounts: any AccountLoader
    /// Checks devices, in the flow `onboarding`.
    public var devices: any DeviceChecker
    /// Grants permissions, in the flow `permissions`.
    public var system: any PermissionSystem = GrantingSystem()

    public init(authenticator: any Authenticator, accounts: any AccountLoader, devices: any DeviceChecker) {
        (self.authenticator, self.accounts, self.devices) = (authenticator, accounts, devices)
    }
}

extension FlowKind {
    /// All built-in flows. They do their work on the executor.
    public static func builtIn(executor: (any TaskExecutor)? = nil, work: BuiltInWork) -> [FlowKind] {
        let order = PermissionOrder(asking: work.system)
        let kinds: [FlowKind] = [
            .flow(Game.self), .flow(Startup.self) { $0.work(with: work.savedSession, work.authenticator) },
            .flow(Registration.self), .flow(Onboarding.self) { $0.work(with: work.accounts, work.devices) },
            // The flow refers to its delegate weakly; the closure keeps it.
            TypedFlowKind(making: { Permissions(clock: $0, delegate: order) }), .flow(Turns.self),
        ]
        for kind in kinds { (kind.executor, kind.isTested) = (executor, true) }
        return kinds
    }
}
