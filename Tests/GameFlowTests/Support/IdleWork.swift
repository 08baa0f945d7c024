// Work of the built-in flows that never does anything.

import BuiltInFlows

extension BuiltInWork {
    static var idle: BuiltInWork { BuiltInWork(authenticator: IdleWork(), accounts: IdleWork(), devices: IdleWork()) }
}

private struct IdleWork: Authenticator, AccountLoader, DeviceChecker {
    func logIn(for session: String) async -> String { "nobody" }
    func load(for session: String, progress: @Sendable (Int) async -> Void) async -> String { "nobody" }
    func check(_ mac: MACAddress, for session: String) async {}
}
