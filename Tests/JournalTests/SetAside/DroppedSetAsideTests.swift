// Dropped set-aside sessions: their families, and their history.

import Foundation
import TestSupport
import Testing

/// Three generations, each with a state whose name a changed file can remove.
private struct Generations {
    private let store: DaemonStore
    private var flows: String { store.folder.path + "/flows" }

    init(_ storeKind: StoreKind = .directory) throws {
        store = try DaemonStore(storeKind)
        try FileManager.default.createDirectory(atPath: flows, withIntermediateDirectories: true)
        for name in ["top", "mid", "kid"] { try write(name) }
    }

    /// Writes the flow of that name. Sessions in its state `at` do not fit if `state` is another name.
    func write(_ name: String, _ state: String = "at") throws {
        let child = ["top": "mid", "mid": "kid"][name].map { "invoke: { id: \"c\", flow: \"\($0)\" }," } ?? ""
        let text = """
            { id: "\(name)", initial: "out", states: {
                out: { always: "\(state)", on: { back: "\(state)" } },
                \(state): { \(child) on: { leave: "gone", hop: "\(state)" } },
                gone: { on: { back: "\(state)" } } } }
            """
        try text.write(toFile: "\(flows)/\(name).json5", atomically: true, encoding: .utf8)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(flows)/\(name).json5") }

    func start() throws -> RunningDaemon { try store.start(["--flows", flows]) }

    /// After a kill.
    func restart(_ daemon: RunningDaemon) throws -> RunningDaemon { try store.restart(daemon, ["--flows", flows]) }

    /// Changes the flow, so that a reload or a start sets its sessions aside.
    func setAside(_ name: String, _ daemon: inout RunningDaemon, atStart: Bool) throws {
        try write(name, "elsewhere")
        if atStart { daemon = try restart(daemon) } else { try daemon.execute("RELOAD") }
    }

    func isGone(_ names: String..., in daemon: RunningDaemon) throws -> Bool {
        try names.allSatisfy { try daemon.ask("STATE \($0)").code == .noSession }
    }
}

@Suite struct `A family with set-aside sessions` {
    /// All names are in one shard, so messages between them arrive in the same turn.
    @Test(arguments: StoreKind.each(["SEND {t} leave", "DROP {t}"], ofDatabase: { _ in StoreKind.isThorough }), [false, true])
    func `A parent that ends drops its set-aside child`(place: (storeKind: StoreKind, end: String), atStart: Bool) throws {
        let (family, end) = (try Generations(place.storeKind), place.end)
        var daemon = try family.start()
        try daemon.execute("NEW {t} top")
        try family.setAside("mid", &daemon, atStart: atStart)
        #expect(try daemon.ask("STATE {t}/c").code == .setAside)
        try daemon.execute(end)
        #expect(try family.isGone("{t}/c", "{t}/c/c", in: daemon))
        // It does not come back, and its name is free.
        try family.write("mid")
        try daemon.execute("RELOAD")
        #expect(try family.isGone("{t}/c", "{t}/c/c", in: daemon))
        try daemon.execute(end.hasPrefix("DROP") ? "NEW {t} top" : "SEND {t} back")
        #expect(try daemon.ask("STATE {t}/c/c")["state"]?.text == "at")
    }

    @Test(arguments: StoreKind.each([false, true], ofDatabase: { $0 && StoreKind.isThorough }))
    func `DROP of a set-aside parent also drops its children and their children`(storeKind: StoreKind, atStart: Bool) throws {
        let family = try Generations(storeKind)
        var daemon = try family.start()
        try daemon.execute("NEW {t} top", "NEW {t}/other kid")
        try family.setAside("top", &daemon, atStart: atStart)
        #expect(try daemon.ask("STATE {t}/c/c")["state"]?.text == "at")
        #expect(try daemon.ask("DROP {t}").integer == 1)
        #expect(try family.isGone("{t}", "{t}/c", "{t}/c/c", in: daemon))
        #expect(try daemon.ask("STATE {t}/other")["state"]?.text == "at", "it only has a child's name")
        daemon = try family.restart(daemon)
        #expect(try family.isGone("{t}", "{t}/c", "{t}/c/c", in: daemon))
    }

    @Test func `DROP of a set-aside parent also drops its set-aside descendants`() throws {
        let family = try Generations()
        let daemon = try family.start()
        try daemon.execute("NEW {t} top")
        for name in ["top", "mid", "kid"] { try family.write(name, "elsewhere") }
        try daemon.execute("RELOAD")
        #expect(try daemon.ask("STATE {t}/c/c").code == .setAside && daemon.ask("DROP {t}").integer == 1)
        #expect(try family.isGone("{t}", "{t}/c", "{t}/c/c", in: daemon))
    }

    @Test func `A step that drops a set-aside child can create a new child of its name`() throws {
        let family = try Generations()
        var daemon = try family.start()
        try daemon.execute("NEW m mid")
        try family.setAside("kid", &daemon, atStart: false)
        try daemon.execute("SEND m hop")
        #expect(try daemon.ask("STATE m/c")["state"]?.text == "elsewhere")
        #expect(try daemon.ask("DROP m").integer == 1 && family.isGone("m/c", in: daemon))
    }

    @Test func `A parent does not adopt an unrelated session in place of its discarded child`() throws {
        let family = try Generations()
        var daemon = try family.start()
        try daemon.execute("NEW m mid")
        try family.setAside("kid", &daemon, atStart: false)
        try daemon.execute("DROP m/c", "NEW m/c kid", "SEND m leave")
        #expect(try daemon.ask("STATE m/c")["state"]?.text == "elsewhere")
    }
}

@Suite struct `A dropped set-aside session` {
    private func past(_ daemon: RunningDaemon) throws -> [String] {
        try daemon.ask("HISTORY k").list.reversed().map { line in
            ["what", "actor", "from"].map { line[$0]?.text ?? "-" }.joined(separator: " ")
        }
    }

    @Test(arguments: StoreKind.each([false, true], ofDatabase: { $0 && StoreKind.isThorough }))
    func `A dropped set-aside session's history names the actor, over restarts`(storeKind: StoreKind, atStart: Bool) throws {
        let family = try Generations(storeKind)
        var daemon = try family.start()
        try daemon.execute("NEW k kid", "SEND k hop")
        let before = try past(daemon)
        #expect(before.count == 2)
        try family.setAside("kid", &daemon, atStart: atStart)
        #expect(try daemon.ask("DROP k").integer == 1)
        let whole = try past(daemon)
        #expect(whole.count == 3 && whole.prefix(2).elementsEqual(before), "\(whole)")
        #expect(whole.last?.hasPrefix("dropped ") == true && whole.last?.hasSuffix(" at") == true, "\(whole)")
        #expect(whole.last?.contains(" - ") == false, "the actor is missing: \(whole)")
        #expect(try daemon.ask("INFO").text?.contains("sessions_dropped:1") == true)
        for _ in 0..<2 {
            daemon = try family.restart(daemon)
            #expect(try past(daemon) == whole)
        }
        // Another session of that name has its own history.
        try daemon.execute("NEW k kid")
        #expect(try past(daemon).count == 1)
    }

    @Test(arguments: [false, true])
    func `Subscribers get the message that a set-aside session was dropped`(atStart: Bool) throws {
        let family = try Generations()
        var daemon = try family.start()
        try daemon.execute("NEW k kid", "SEND k hop")
        try family.setAside("kid", &daemon, atStart: atStart)
        let listener = try daemon.client()
        #expect(try !listener.ask("SUBSCRIBE session:k").isError)
        #expect(try daemon.ask("DROP k").integer == 1)
        let message = try listener.next().list.last?.text ?? ""
        #expect(message.hasPrefix(#"{"what":"dropped","seq":3,"session":"k","flow":"kid","event":"DROP","#), "\(message)")
        #expect(message.contains(#""from":"at","to":"at","#) && message.contains(#""actor":""#), "\(message)")
    }

    @Test func `A dropped set-aside session has a history even where its flow is gone`() throws {
        let family = try Generations()
        var daemon = try family.start()
        try daemon.execute("NEW k kid", "SEND k hop")
        try family.remove("kid")
        daemon = try family.restart(daemon)
        #expect(try daemon.ask("DROP k").integer == 1)
        #expect(try past(daemon).last?.hasPrefix("dropped ") == true && past(daemon).count == 3)
    }
}
