// Event ids over restarts: the first reply is sent again, and no event is handled twice.

import TestSupport
import Testing

@Suite struct `An event with an id` {
    @Test(arguments: StoreKind.endings(ofDatabase: true))
    func `An event with an id gets its first reply again after a restart`(storeKind: StoreKind, isKilled: Bool) throws {
        let store = try DaemonStore(storeKind)
        var daemon = try store.start()
        var client = try daemon.client()
        for name in ["room", "plain"] { _ = try client.ask("NEW \(name) turns") }
        let words = ["SEND room pass ID k", "SEND room nonsense 7 ID l", "SEND room pass IF 9 ID m", "SEND room pass ID n"]
        let first = try words.map { try client.ask($0).reply }
        #expect(try client.ask("SEND plain pass").text == "second")
        for _ in 1...2 {
            daemon = try store.restart(daemon, isKilled: isKilled)
            client = try daemon.client()
            #expect(try words.map { try client.ask($0).reply } == first)
            #expect(try client.ask("SEND room pass 3 ID k").code == .generic)
            #expect(try client.ask("STATE room")["version"]?.integer == 2)
        }
        _ = try client.ask("RESTART room")
        daemon = try store.restart(daemon, isKilled: isKilled)
        client = try daemon.client()
        #expect(try client.ask("STATE room")["version"]?.integer == 0)
        #expect(try client.ask("SEND room pass ID k").text == "second", "it is another life")
        #expect(try client.ask("STATE room")["version"]?.integer == 1)
        try store.end(daemon, isKilled: isKilled)
        #expect(
            try store.sql("SELECT count(*) FROM sessions WHERE name = 'plain' AND waiting IS NULL") == "1", "it costs nothing")
    }
}
