// gamectl watch against a stub that pushes changes, a daemon that stops and starts again, and the real daemon.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) final class `gamectl watch` {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private var socket: String { folder.appending(path: "it.sock").path }

    private func screen(_ words: String...) throws -> Terminal {
        try Terminal(gamectlPath, ["--socket", socket, "watch"] + words, home: folder)
    }

    private static func view(_ name: String, _ state: String, left: Int, isPaused: Bool = false) -> String {
        """
        {"session":"\(name)","flow":"turns","state":"\(state)","life":1,"version":0,"data":{},"title":"","text":"","progress":null,\
        "paused":\(isPaused),"final":false,"actions":[],"timers":[{"name":"turn","kind":"countdown","remaining_ms":\(left),\
        "length_ms":30000,"period_ms":null,"event":"pass","paused":\(isPaused),"generation":1}],"at_ms":0}
        """
    }

    private static func message(_ name: String, _ what: String, from: String = "first", to: String = "second") -> String {
        """
        {"what":"\(what)","seq":2,"session":"\(name)","flow":"turns","event":"pass","source":"network","timer":null,"from":"\(from)",\
        "to":"\(to)","life":1,"version":1}
        """
    }

    @Test func `A watch shows pushed changes and counts timers down without sending requests`() throws {
        let daemon = try StubDaemon(at: socket, views: ["room-2": Self.view("room-2", "first", left: 30_000)])
        let terminal = try screen()
        try terminal.wait(for: "1 session ")
        try terminal.wait(for: "room-2  turns  first")
        let asked = daemon.requests
        // A busy machine may show no value of a whole second.
        var shown: [Double] = []
        while shown.count < 3 || shown.last.map({ $0 >= 28 }) == true {
            let left = try #require(Double(terminal.wait(for: /(\d+\.\d)s  turn/)))
            if left != shown.last { shown.append(left) }
        }
        #expect(shown == shown.sorted(by: >))
        #expect(daemon.requests == asked)
        daemon.publish("session:room-2", Self.message("room-2", "taken"))
        daemon.show("room-2", Self.view("room-2", "second", left: 20_000, isPaused: true))
        try terminal.wait(for: "room-2  turns  second")
        try terminal.wait(for: "20.0s  turn paused")
        #expect(daemon.requests == asked)
        daemon.publish("session:room-10", Self.message("room-10", "begun"))
        daemon.show("room-10", Self.view("room-10", "first", left: 10_000))
        try terminal.wait(for: "2 sessions ")
        try terminal.wait(for: "room-10")
        daemon.show("room-2", nil)
        daemon.publish("session:room-2", Self.message("room-2", "dropped"))
        try terminal.wait(for: "1 session ")
        terminal.type("q")
        #expect(terminal.waitForEnd() == 0)
        daemon.leave()
    }

    @Test func `A watch does not wrap lines while it fills the screen, and the terminal wraps again afterwards`() throws {
        let daemon = try StubDaemon(at: socket, views: ["room": Self.view("room", "first", left: 30_000)])
        let terminal = try screen()
        try terminal.wait(for: "\u{1B}[?7l")
        try terminal.wait(for: "room  turns  first")
        terminal.type("q")
        try terminal.wait(for: "\u{1B}[?7h")
        #expect(terminal.waitForEnd() == 0)
        daemon.leave()
    }

    @Test func `A stopped watch leaves the terminal to the shell, and draws the screen again when it continues`() throws {
        let daemon = try StubDaemon(at: socket, views: ["room": Self.view("room", "first", left: 30_000)])
        let terminal = try screen()
        try terminal.wait(for: "room  turns  first")
        terminal.send(signal: SIGTSTP)
        try terminal.wait(for: "\u{1B}[?1049l")
        for number in [SIGTSTP, SIGSTOP] {
            if number == SIGSTOP { terminal.send(signal: number) }
            try #require(eventually { terminal.isStopped })
            terminal.send(signal: SIGCONT)
            try terminal.wait(for: "\u{1B}[?1049h")
            try terminal.wait(for: "room  turns  first")
        }
        terminal.type("q")
        #expect(terminal.waitForEnd() == 0)
        daemon.leave()
    }

    @Test func `A watch prints a line per event on a terminal whose cursor cannot be moved`() throws {
        let daemon = try StubDaemon(at: socket, views: ["room": Self.view("room", "first", left: 30_000)])
        let terminal = try Terminal(gamectlPath, ["--socket", socket, "watch"], home: folder, kind: "dumb")
        #expect(eventually { daemon.count(of: "PSUBSCRIBE") == 1 })
        daemon.publish("session:room", Self.message("room", "taken"))
        try terminal.wait(for: "room  first -> second  pass (network)\r\n")
        daemon.leave()
    }

    @Test func `A watch subscribes only to the views of the sessions on the screen`() throws {
        let names = (1...500).map { "room-\($0)" }
        let views = Dictionary(uniqueKeysWithValues: names.map { ($0, Self.view($0, "first", left: 30_000)) })
        let daemon = try StubDaemon(at: socket, views: views)
        let terminal = try screen("room-*")
        try terminal.wait(for: "500 sessions  'room-*'")
        try terminal.wait(for: "room-47 ")
        #expect(daemon.count(of: "PSUBSCRIBE", "session:room-*") == 1)
        terminal.type(" ")
        try terminal.wait(for: "room-94 ")
        #expect(eventually { daemon.count(of: "UNSUBSCRIBE", "view:room-1") == 1 })
        #expect(daemon.count(of: "SUBSCRIBE") <= 100)
        terminal.type("q")
        #expect(terminal.waitForEnd() == 0)
        daemon.leave()
    }

    @Test func `A watch reports a lost daemon, reconnects, and shows the new sessions and states`() throws {
        let first = try StubDaemon(at: socket, views: ["room": Self.view("room", "first", left: 30_000)])
        let terminal = try screen()
        try terminal.wait(for: "room  turns  first")
        first.leave()
        try terminal.wait(for: "the daemon is away for ")
        let second = try StubDaemon(
            at: socket,
            views: ["room": Self.view("room", "second", left: 20_000), "hall": Self.view("hall", "first", left: 5_000)])
        try terminal.wait(for: "the daemon is back after ")
        try terminal.wait(for: "hall  turns  first")
        try terminal.wait(for: "room  turns  second")
        second.show("hall", Self.view("hall", "third", left: 4_000))
        try terminal.wait(for: "third")
        terminal.type("q")
        #expect(terminal.waitForEnd() == 0)
        second.leave()
    }

    @Test func `The q key ends a watch that waits for the daemon`() throws {
        let daemon = try StubDaemon(at: socket, views: [:])
        let terminal = try screen()
        try terminal.wait(for: "there are no sessions; create one with")
        daemon.leave()
        try terminal.wait(for: "the daemon is away for ")
        terminal.type("q")
        #expect(terminal.waitForEnd() == 0)
    }

    @Test func `A watch of a daemon that does not reply reports it as away, and the q key ends it`() throws {
        let names = (1...100).map { "room-\($0)" }
        let views = Dictionary(uniqueKeysWithValues: names.map { ($0, Self.view($0, "first", left: 30_000)) })
        let daemon = try StubDaemon(at: socket, views: views)
        let terminal = try screen()
        try terminal.wait(for: "room-47 ")
        daemon.hang()
        terminal.type(" ")
        try terminal.wait(for: "the daemon is away for ")
        terminal.type("q")
        #expect(terminal.waitForEnd() == 0)
        daemon.leave()
    }

    @Test(arguments: [false, true]) func `A watch writes a line per event to a file, across a restart`(isJSON: Bool) throws {
        let first = try StubDaemon(at: socket, views: [:])
        let watch = try RunningProgram(gamectlPath, ["--socket", socket, "watch"] + (isJSON ? ["--json"] : []))
        #expect(eventually { first.count(of: "PSUBSCRIBE") == 1 })
        first.publish("session:a", Self.message("a", "taken"))
        #expect(eventually { watch.said.hasSuffix("\n") })
        first.leave()
        #expect(
            watch.complains("the daemon at \(socket) has closed the connection; waiting until it is back"))
        let second = try StubDaemon(at: socket, views: [:])
        #expect(watch.complains("the daemon at \(socket) is back after "))
        second.publish("session:a", Self.message("a", "dropped"))
        #expect(eventually { watch.said.split(separator: "\n").count == 2 })
        let expected =
            isJSON
            ? [Self.message("a", "taken"), Self.message("a", "dropped")] : ["a  first -> second  pass (network)", "a  dropped"]
        #expect(watch.said.split(separator: "\n").map(String.init) == expected)
        #expect(watch.isRunning)
        second.leave()
    }

    @Test func `A watch ends when the reader of its pipe has closed it, even without events`() throws {
        let daemon = try StubDaemon(at: socket, views: [:])
        let output = Pipe()
        let watch = try RunningProgram(gamectlPath, ["--socket", socket, "watch"], output: output)
        #expect(eventually { daemon.count(of: "PSUBSCRIBE") == 1 })
        try output.fileHandleForWriting.close()
        try output.fileHandleForReading.close()
        #expect(eventually { !watch.isRunning })
        daemon.leave()
    }

    @Test func `A watch started without a daemon exits with status 2 and says how to start one`() throws {
        let result = try Program(gamectlPath, ["--socket", socket, "watch"])
        #expect(result.status == 2)
        #expect(result.errors.contains("start one with: gamed"))
    }

    // MARK: With the real daemon

    @Test func `A watch continues after the real daemon restarts`() throws {
        let words = ["--socket", socket, "--data", folder.appending(path: "data").path]
        let first = try RunningDaemon(words + ["--session", "room=turns"], in: folder.appending(path: "first"))
        _ = first.readLine()
        let terminal = try screen()
        try terminal.wait(for: "room  turns  first")
        #expect(try Program(gamectlPath, ["--socket", socket, "send", "room", "pass"]).status == 0)
        try terminal.wait(for: "room  turns  second")
        first.signal(SIGTERM)
        #expect(first.waitForEnd().status == 0)
        try terminal.wait(for: "the daemon is away for ")
        let second = try RunningDaemon(words, in: folder.appending(path: "second"))
        _ = second.readLine()
        try terminal.wait(for: "the daemon is back after ")
        for words in [["pause", "room"], ["new", "hall", "permissions"]] {
            #expect(try Program(gamectlPath, ["--socket", socket] + words).status == 0)
        }
        try terminal.wait(for: "2 sessions ")
        try terminal.wait(for: "hall  permissions  initial")
        try terminal.wait(for: "turn paused")
        terminal.type("q")
        #expect(terminal.waitForEnd() == 0)
    }

    @Test func `A watch updates its timers when virtual time is advanced`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let terminal = try Terminal(gamectlPath, ["--socket", daemon.socketPath, "watch"], home: folder)
        try terminal.wait(for: "30.0s  turn")
        #expect(try daemon.gamectl("advance", "12.5s").status == 0)
        try terminal.wait(for: "17.5s  turn")
        #expect(try daemon.gamectl("advance", "20s").status == 0)
        try terminal.wait(for: "room  turns  second")
        try terminal.wait(for: "27.5s  turn")
        terminal.type("q")
        #expect(terminal.waitForEnd() == 0)
    }
}
