// What a parent knows of its children, over restarts and changed definitions.

import Foundation
import TestSupport
import Testing

@Suite struct `What a parent was told of a child` {
    private static let kid = """
        { id: "kid", initial: "young", states: { young: { on: { grow: "grown" } }, grown: { type: "final" } } }
        """

    /// Counts what it hears. Its second state is called `name`.
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

    private let folder: Folder
    private var flows: String { folder.path + "/flows" }

    init() throws {
        folder = try Folder()
        try FileManager.default.createDirectory(atPath: flows, withIntermediateDirectories: true)
        try write(Self.kid, "kid")
        try write(Self.parent(), "parent")
    }

    private func write(_ text: String, _ name: String) throws {
        try text.write(toFile: "\(flows)/\(name).json5", atomically: true, encoding: .utf8)
    }

    private func start() throws -> DaemonProcess {
        let daemon = try DaemonProcess(in: folder, ["--flows", flows, "--durability", "always"])
        try #require(daemon.isUp(), "\(daemon.errors)")
        return daemon
    }

    private func tell(_ daemon: DaemonProcess, _ lines: String...) throws {
        let asker = try daemon.asker()
        for line in lines {
            let answer = try asker.ask(line)
            try #require(!answer.isError, "\(line): \(answer.sentence ?? "")")
        }
    }

    /// How often it heard of an error, and of an end.
    private func heard(_ daemon: DaemonProcess) throws -> String? { try daemon.ask("STATE e")["data"]?.text }

    @Test func `is told once, and not again after restarts: one that was dropped`() throws {
        var daemon = try start()
        try tell(daemon, "NEW e parent", "SEND e go", "DROP e/kid")
        for _ in 0..<2 {
            #expect(try heard(daemon) == #"{"errors":1,"ends":0}"#)
            daemon.killIt()
            daemon = try start()
        }
        #expect(try heard(daemon) == #"{"errors":1,"ends":0}"#)
    }

    @Test func `is told once, and not again after restarts: one that is done, and then dropped`() throws {
        var daemon = try start()
        try tell(daemon, "NEW e parent", "SEND e go", "SEND e/kid grow")
        daemon.killIt()
        daemon = try start()
        #expect(try heard(daemon) == #"{"errors":0,"ends":1}"#)
        try tell(daemon, "DROP e/kid")
        daemon.killIt()
        daemon = try start()
        #expect(try heard(daemon) == #"{"errors":0,"ends":1}"#)
    }

    @Test func `is forgotten where it never began: whoever has its name is nobody's child`() throws {
        var daemon = try start()
        try tell(daemon, "NEW e parent", "NEW e/kid kid", "SEND e go")
        daemon.killIt()
        daemon = try start()
        #expect(try heard(daemon) == #"{"errors":1,"ends":0}"#)
        try tell(daemon, "SEND e leave")
        #expect(try daemon.ask("STATE e/kid")["state"]?.text == "young")
    }

    @Test(arguments: [false, true])
    func `that has ended while its parent was set aside is told when the parent is back`(isKilled: Bool) throws {
        var daemon = try start()
        try tell(daemon, "NEW e parent", "SEND e go")
        try write(Self.parent("elsewhere"), "parent")
        try tell(daemon, "RELOAD", "SEND e/kid grow")
        #expect(try daemon.ask("STATE e").isError)
        if isKilled {
            daemon.killIt()
            daemon = try start()
        }
        try write(Self.parent(), "parent")
        try tell(daemon, "RELOAD")
        #expect(try heard(daemon) == #"{"errors":0,"ends":1}"#)
        try tell(daemon, "RELOAD", "SEND e leave")
        #expect(try daemon.ask("STATE e/kid").code == .noSession)
    }

    @Test(arguments: [false, true])
    func `that the new definition does not begin is dropped`(isStartedAgain: Bool) throws {
        var daemon = try start()
        try tell(daemon, "NEW e parent", "SEND e go")
        try write(Self.childless, "parent")
        if isStartedAgain {
            daemon.killIt()
            daemon = try start()
        } else {
            try tell(daemon, "RELOAD")
        }
        #expect(try daemon.ask("STATE e")["state"]?.text == "with")
        #expect(try daemon.ask("STATE e/kid").code == .noSession)
        // Nothing of it is left for the next one.
        try write(Self.parent(), "parent")
        try tell(daemon, "RELOAD", "SEND e leave", "SEND e go")
        #expect(try heard(daemon) == #"{"errors":0,"ends":0}"# && daemon.ask("STATE e/kid")["state"]?.text == "young")
    }
}
