// Sessions whose clock the daemon has stopped, over a restart.

import Foundation
import TestSupport
import Testing

@Suite struct `A clock that the daemon has stopped` {
    private static let circle =
        #"{id:"circle",events:{go:{}},initial:"a",states:{a:{on:{go:"b"}},b:{after:{"0s":"c"},on:{go:"a"}},c:{after:{"0s":"b"},on:{go:"a"}}}}"#

    @Test(arguments: StoreKind.endings(ofDatabase: false))
    func `A restart keeps a daemon-stopped clock stopped, and apart from a pause`(storeKind: StoreKind, isKilled: Bool) throws {
        let (store, flows) = (try DaemonStore(storeKind), try Folder())
        let file = flows.path + "/circle.json5"
        try Self.circle.write(toFile: file, atomically: true, encoding: .utf8)
        let words = ["--flows", file, "--expire", "circle=1h"]
        var daemon = try store.start(words)
        for line in ["NEW round circle", "NEW paused circle", "PAUSE paused", "SEND round go"] {
            #expect(try !daemon.ask(line).isError)
        }
        #expect(try eventually { try daemon.ask("STATE round")["stopped"]?.text != nil })
        // Its image is written again.
        #expect(try !daemon.ask("FORCE round a").isError)
        for _ in 1...2 {
            daemon = try store.restart(daemon, isKilled: isKilled, words)
            let state = try daemon.ask("STATE round")
            #expect(state["stopped"]?.text?.hasPrefix("the daemon stopped its clock: ") == true && state["expires_ms"] != nil)
            #expect(try daemon.ask("STATE paused")["stopped"] == nil)
            #expect(try daemon.ask("INFO sessions").text?.contains("clocks_stopped:1") == true)
        }
        #expect(try !daemon.ask("RESUME round").isError)
        daemon = try store.restart(daemon, isKilled: isKilled, words)
        #expect(try daemon.ask("STATE round")["stopped"] == nil)
    }
}
