// The flow `onboarding` with a daemon's own accounts, from its first state to its last.

import Foundation
import TestSupport
import Testing

@Suite struct `The onboarding of a device` {
    private let folder: Folder

    private var accounts: String { folder.path + "/accounts.json" }

    init() throws { folder = try Folder() }

    private func daemon(_ words: [String]) throws -> RunningDaemon {
        let daemon = try RunningDaemon(["--data", "none"] + words, in: URL(fileURLWithPath: folder.path))
        _ = daemon.readLine()
        return daemon
    }

    private func gamectl(_ words: String...) throws -> Program {
        try Program(gamectlPath, words, environment: ["GAMED_SOCKET": folder.socket])
    }

    /// Waits until the session is in this state, and returns its data.
    private func data(of session: String, in state: String) throws -> String? {
        var output = ""
        let isThere = try eventually {
            output = try gamectl("--json", "state", session).output
            return output.contains(#""state":"\#(state)""#)
        }
        return isThere ? output : nil
    }

    @Test func `A device of the account passes its checks, and another one does not`() throws {
        let text = #"{"kiosk": {"name": "Ann", "devices": ["AA:BB:CC:DD:EE:00"]}}"#
        try text.write(toFile: accounts, atomically: true, encoding: .utf8)
        let daemon = try daemon(["--socket", folder.socket, "--accounts", accounts])
        #expect(try gamectl("new", "kiosk", "onboarding").status == 0)
        #expect(try data(of: "kiosk", in: "welcome")?.contains("Ann") == true)
        #expect(try gamectl("send", "kiosk", "startFlowTapped").status == 0)
        #expect(try gamectl("send", "kiosk", "deviceWasIdentified", "AA:BB:CC:DD:EE:02").status == 0)
        #expect(try data(of: "kiosk", in: "deviceIdentification")?.contains("is not one of the account's devices") == true)
        #expect(try gamectl("send", "kiosk", "deviceWasIdentified", "aa-bb-cc-dd-ee-00").status == 0)
        #expect(try data(of: "kiosk", in: "deviceReady") != nil)
        #expect(try gamectl("send", "kiosk", "deviceChecksPassed").errors.contains("orchestrator"))
        withExtendedLifetime(daemon) {}
    }

    @Test func `An onboarding without accounts reports the missing file, and continues on a later retry`() throws {
        let daemon = try daemon(["--socket", folder.socket, "--accounts", accounts])
        #expect(try gamectl("new", "kiosk", "onboarding").status == 0)
        #expect(daemon.complains("\(accounts): No such file or directory; until that is corrected, the flow onboarding cannot"))
        #expect(try data(of: "kiosk", in: "accountUnavailable")?.contains("the accounts cannot be read") == true)
        #expect(daemon.complains("onboarding of 'kiosk': cannot read \(accounts): No such file or directory"))
        try #"{"*": {"name": "Guest"}}"#.write(toFile: accounts, atomically: true, encoding: .utf8)
        #expect(try gamectl("send", "kiosk", "retry").status == 0)
        #expect(try data(of: "kiosk", in: "welcome")?.contains("Guest") == true)
    }

    @Test func `A check reports an invalid account and a missing accounts file`() throws {
        let words = ["--check", "--data", "none", "--config", "none", "--socket", folder.socket, "--accounts", accounts]
        let missing = try Program(gamedPath, words)
        #expect(missing.status == 78 && missing.errors.contains("cannot read \(accounts): No such file or directory"))
        try #"{"*": {"name": "Guest"}, "kiosk": {"title": "Ann"}}"#.write(toFile: accounts, atomically: true, encoding: .utf8)
        let checked = try Program(gamedPath, words)
        #expect(checked.status == 78)
        #expect(checked.errors.contains("the account of 'kiosk' needs a name of 1 to 100 characters"), "\(checked.errors)")
    }
}
