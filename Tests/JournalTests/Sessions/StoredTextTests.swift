// A session's stored text is as durable as its state.

import Foundation
import TestSupport
import Testing

@Suite struct `The stored text of a session` {
    /// The flow `startup` stores the user in it, and continues with that user after a restart of the session.
    private func user(of name: String, _ client: TestClient) throws -> String? {
        _ = try client.ask("RESTART \(name)")
        _ = try client.ask("SEND \(name) didLaunch")
        var answer = try client.ask("STATE \(name)")
        let isDecided = eventually {
            answer = (try? client.ask("STATE \(name)")) ?? answer
            return answer["state"]?.text != "hydrating"
        }
        #expect(isDecided)
        guard answer["state"]?.text == "ready" else { return nil }
        return answer["data"]?.text.flatMap { $0.firstMatch(of: #/"userID":"([^"]*)"/#) }.map { String($0.1) }
    }

    @Test(arguments: StoreKind.endings(ofDatabase: true))
    func `A stored text survives the end of the process, and a restart of the session`(storeKind: StoreKind, isKilled: Bool)
        throws
    {
        let store = try DaemonStore(storeKind)
        var daemon = try store.start(["--durability", "always"])
        var client = try daemon.client()
        for name in ["ann", "ben"] {
            _ = try client.ask("NEW \(name) startup")
            #expect(try client.ask(words: ["FORCE", name, "ready", #"{"userID":"\#(name)"}"#]).text == "ready")
        }
        daemon = try store.restart(daemon, isKilled: isKilled, ["--durability", "always"])
        client = try daemon.client()
        #expect(try user(of: "ann", client) == "ann")
        #expect(try user(of: "ben", client) == "ben", "each session has its own")
        #expect(try client.ask("SEND ann logOut").text == "needsLogin")
        daemon = try store.restart(daemon, isKilled: isKilled, ["--durability", "always"])
        client = try daemon.client()
        #expect(try user(of: "ann", client) == nil)
        #expect(try user(of: "ben", client) == "ben")
        #expect(daemon.stop() == 0)
    }

    @Test func `DROP removes a stored text, UNDROP restores it, and no client sees it`() throws {
        let daemon = try RunningDaemon(keepingIn: Folder(), [])
        #expect(daemon.waitUntilUp())
        let client = try daemon.client()
        _ = try client.ask("NEW app startup")
        _ = try client.ask(words: ["FORCE", "app", "ready", #"{"userID":"rumpelstiltskin"}"#])
        _ = try client.ask("DROP app")
        #expect(try client.ask("UNDROP app").text == "ready")
        #expect(try user(of: "app", client) == "rumpelstiltskin")
        _ = try client.ask("RESTART app")
        for line in ["STATE app", "VIEW app", "EVENTS app FULL", "TIMERS app", "DESCRIBE startup"] {
            #expect(try !"\(client.ask(line))".contains("rumpelstiltskin"), "\(line)")
        }
        _ = try client.ask("DROP app")
        _ = try client.ask("NEW app startup")
        #expect(try user(of: "app", client) == nil)
    }
}
