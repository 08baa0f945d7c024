// What a session remembers beside its state survives what its state survives.

import Foundation
import TestSupport
import Testing

@Suite struct `The stored text of a session` {
    /// The flow `startup` stores the user in it, and goes on with that user at its next start.
    private func user(of name: String, _ asker: Asker) throws -> String? {
        _ = try asker.ask("RESTART \(name)")
        _ = try asker.ask("SEND \(name) didLaunch")
        var answer = try asker.ask("STATE \(name)")
        let isDecided = eventually {
            answer = (try? asker.ask("STATE \(name)")) ?? answer
            return answer["state"]?.text != "hydrating"
        }
        #expect(isDecided)
        guard answer["state"]?.text == "ready" else { return nil }
        return answer["data"]?.text.flatMap { $0.firstMatch(of: #/"userID":"([^"]*)"/#) }.map { String($0.1) }
    }

    @Test(arguments: Keeping.endings(ofDatabase: true))
    func `A stored text survives the end of the process, and a restart of the session`(keeping: Keeping, isKilled: Bool) throws
    {
        let home = try Home(keeping)
        var daemon = try home.start(["--durability", "always"])
        var asker = try daemon.asker()
        for name in ["ann", "ben"] {
            _ = try asker.ask("NEW \(name) startup")
            #expect(try asker.ask(words: ["FORCE", name, "ready", #"{"userID":"\#(name)"}"#]).text == "ready")
        }
        daemon = try home.restart(daemon, isKilled: isKilled, ["--durability", "always"])
        asker = try daemon.asker()
        #expect(try user(of: "ann", asker) == "ann")
        #expect(try user(of: "ben", asker) == "ben", "each session has its own")
        #expect(try asker.ask("SEND ann logOut").text == "needsLogin")
        daemon = try home.restart(daemon, isKilled: isKilled, ["--durability", "always"])
        asker = try daemon.asker()
        #expect(try user(of: "ann", asker) == nil)
        #expect(try user(of: "ben", asker) == "ben")
        #expect(daemon.stop() == 0)
    }

    @Test func `DROP removes a stored text, UNDROP restores it, and no client sees it`() throws {
        let daemon = try DaemonProcess(in: Folder(), [])
        #expect(daemon.isUp())
        let asker = try daemon.asker()
        _ = try asker.ask("NEW app startup")
        _ = try asker.ask(words: ["FORCE", "app", "ready", #"{"userID":"rumpelstiltskin"}"#])
        _ = try asker.ask("DROP app")
        #expect(try asker.ask("UNDROP app").text == "ready")
        #expect(try user(of: "app", asker) == "rumpelstiltskin")
        _ = try asker.ask("RESTART app")
        for line in ["STATE app", "VIEW app", "EVENTS app FULL", "TIMERS app", "DESCRIBE startup"] {
            #expect(try !"\(asker.ask(line))".contains("rumpelstiltskin"), "\(line)")
        }
        _ = try asker.ask("DROP app")
        _ = try asker.ask("NEW app startup")
        #expect(try user(of: "app", asker) == nil)
    }
}
