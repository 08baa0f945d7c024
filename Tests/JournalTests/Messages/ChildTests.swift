// A parent and its children, over restarts and changed definitions.

import Foundation
import TestSupport
import Testing

@Suite struct `A parent and its children` {
    private static let kid = """
        { id: "kid", initial: "young", states: { young: { on: { grow: "grown" } }, grown: { type: "final" } } }
        """

    /// A parent that counts the events of its child. Its second state is called `name`.
    private static func parent(_ name: String = "with") -> String {
        """
        { id: "parent", initial: "alone", context: { errors: 0, ends: 0 }, states: {
            alone: { on: { go: "\(name)" } },
            \(name): { invoke: { id: "kid", flow: "kid" }, on: {
                leave: "alone",
                "error.invoke.kid": { actions: { assign: { errors: "errors + 1" } } },
                "done.invoke.kid": { actions: { assign: { ends: "ends + 1" } } } } } } }
        """
    }

    private static let childless = """
        { id: "parent", initial: "alone", context: { errors: 0, ends: 0 }, states: {
            alone: { on: { go: "with" } }, with: { on: { leave: "alone" } } } }
        """

    /// A daemon with both flows, and its store. All names are in one shard, so messages between them arrive in the same turn.
    private final class Place {
        let store: DaemonStore
        private var flows: String { store.folder.path + "/flows" }

        init(_ storeKind: StoreKind) throws {
            store = try DaemonStore(storeKind)
            try FileManager.default.createDirectory(atPath: flows, withIntermediateDirectories: true)
            try write(kid, "kid")
            try write(parent(), "parent")
        }

        func write(_ text: String, _ name: String) throws {
            try text.write(toFile: "\(flows)/\(name).json5", atomically: true, encoding: .utf8)
        }

        func start() throws -> RunningDaemon { try store.start(["--flows", flows]) }

        func restart(_ daemon: RunningDaemon) throws -> RunningDaemon { try store.restart(daemon, ["--flows", flows]) }
    }

    /// Returns how often the parent got an error, and an end.
    private func heard(_ daemon: RunningDaemon) throws -> String? { try daemon.ask("STATE {e}")["data"]?.text }

    @Test(arguments: StoreKind.thorough)
    func `A parent is notified once of a dropped child, and not again after restarts`(storeKind: StoreKind) throws {
        let place = try Place(storeKind)
        var daemon = try place.start()
        try daemon.execute("NEW {e} parent", "SEND {e} go", "DROP {e}/kid")
        for _ in 0..<2 {
            #expect(try heard(daemon) == #"{"errors":1,"ends":0}"#)
            daemon = try place.restart(daemon)
        }
        #expect(try heard(daemon) == #"{"errors":1,"ends":0}"#)
    }

    @Test(arguments: StoreKind.thorough)
    func `A child dropped after it is done causes no second event in its parent`(storeKind: StoreKind) throws {
        let place = try Place(storeKind)
        var daemon = try place.start()
        try daemon.execute("NEW {e} parent", "SEND {e} go", "SEND {e}/kid grow")
        daemon = try place.restart(daemon)
        #expect(try heard(daemon) == #"{"errors":0,"ends":1}"#)
        try daemon.execute("DROP {e}/kid")
        daemon = try place.restart(daemon)
        #expect(try heard(daemon) == #"{"errors":0,"ends":1}"#)
    }

    @Test(arguments: StoreKind.thorough)
    func `A session with the name of a child that was not created has no parent`(storeKind: StoreKind) throws {
        let place = try Place(storeKind)
        var daemon = try place.start()
        try daemon.execute("NEW {e} parent", "NEW {e}/kid kid", "SEND {e} go")
        daemon = try place.restart(daemon)
        #expect(try heard(daemon) == #"{"errors":1,"ends":0}"#)
        try daemon.execute("SEND {e} leave")
        #expect(try daemon.ask("STATE {e}/kid")["state"]?.text == "young")
    }

    @Test(arguments: StoreKind.each([false, true], ofDatabase: { $0 && StoreKind.isThorough }))
    func `A set-aside parent is notified of its child's end once it is reinstated`(storeKind: StoreKind, isKilled: Bool)
        throws
    {
        let place = try Place(storeKind)
        var daemon = try place.start()
        try daemon.execute("NEW {e} parent", "SEND {e} go")
        try place.write(Self.parent("elsewhere"), "parent")
        try daemon.execute("RELOAD", "SEND {e}/kid grow")
        #expect(try daemon.ask("STATE {e}").isError)
        if isKilled {
            daemon = try place.restart(daemon)
        }
        try place.write(Self.parent(), "parent")
        try daemon.execute("RELOAD")
        #expect(try heard(daemon) == #"{"errors":0,"ends":1}"#)
        try daemon.execute("RELOAD", "SEND {e} leave")
        #expect(try daemon.ask("STATE {e}/kid").code == .noSession)
    }

    @Test(arguments: StoreKind.each([false, true], ofDatabase: { $0 && StoreKind.isThorough }))
    func `A set-aside child runs again for its parent once it is reinstated`(storeKind: StoreKind, isKilled: Bool) throws {
        let place = try Place(storeKind)
        var daemon = try place.start()
        try daemon.execute("NEW {e} parent", "SEND {e} go")
        try place.write(Self.kid.replacing("young", with: "new"), "kid")
        try daemon.execute("RELOAD")
        #expect(try heard(daemon) == #"{"errors":1,"ends":0}"#)
        if isKilled { daemon = try place.restart(daemon) }
        try place.write(Self.kid, "kid")
        try daemon.execute("RELOAD", "SEND {e}/kid grow")
        #expect(try heard(daemon) == #"{"errors":1,"ends":1}"#)
        try daemon.execute("SEND {e} leave")
        #expect(try daemon.ask("STATE {e}/kid").code == .noSession)
    }

    @Test(arguments: StoreKind.each([false, true], ofDatabase: { $0 && StoreKind.isThorough }))
    func `A child that the changed definition does not invoke is dropped`(storeKind: StoreKind, isStartedAgain: Bool) throws {
        let place = try Place(storeKind)
        var daemon = try place.start()
        try daemon.execute("NEW {e} parent", "SEND {e} go")
        try place.write(Self.childless, "parent")
        if isStartedAgain {
            daemon = try place.restart(daemon)
        } else {
            try daemon.execute("RELOAD")
        }
        #expect(try daemon.ask("STATE {e}")["state"]?.text == "with")
        #expect(try daemon.ask("STATE {e}/kid").code == .noSession)
        let warning = "its child session 'kid' has no counterpart in the new file and is dropped"
        #expect(daemon.complains(warning), "\(daemon.errors)")
        // The dropped child leaves nothing behind for the next one.
        try place.write(Self.parent(), "parent")
        try daemon.execute("RELOAD", "SEND {e} leave", "SEND {e} go")
        #expect(try heard(daemon) == #"{"errors":0,"ends":0}"# && daemon.ask("STATE {e}/kid")["state"]?.text == "young")
    }
}
