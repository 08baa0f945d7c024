// Flow files that change under the real program: its reports, and the sessions that it keeps over a kill and reinstates.

import Foundation
import TestSupport
import Testing

/// A folder of flow files beside the data.
private struct FlowFolder {
    let store: DaemonStore
    var folder: Folder { store.folder }
    var path: String { folder.path + "/flows" }
    var words: [String] { ["--flows", path, "--durability", "always"] }

    init(_ storeKind: StoreKind = .directory) throws {
        store = try DaemonStore(storeKind)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try write(Self.quiz())
    }

    func write(_ text: String, to name: String = "quiz.json5") throws {
        try text.write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
    }

    /// A quiz with a timer of this name.
    func write(timer name: String) throws {
        let after = "after: { '1h': { name: '\(name)', target: 'over' } }"
        try write("{ id: 'quiz', initial: 'asking', states: { asking: { \(after) }, over: {} } }")
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

    /// A quiz whose last state has this name.
    static func quiz(_ last: String = "reveal") -> String {
        """
        // A comment changes nothing.
        { id: "quiz", initial: "lobby", context: { round: 0 },
          states: {
            lobby: { on: { start: "question" } },
            question: {
              entry: { assign: { round: "round + 1" } },
              after: { "30s": "\(last)" }, on: { answer: "\(last)" } },
            \(last): { on: { next: "question" }, after: { "60s": { target: "lobby", restart: "freeze" } } } } }
        """
    }

    func start(_ more: [String] = []) throws -> RunningDaemon { try store.start(words + more, isVirtual: false) }

    func restart(_ daemon: RunningDaemon, isKilled: Bool = true) throws -> RunningDaemon {
        try store.restart(daemon, isKilled: isKilled, words, isVirtual: false)
    }
}

@Suite struct `Flow files that change under a running daemon` {
    /// One session in each state.
    private func play(_ daemon: RunningDaemon) throws {
        let client = try daemon.client()
        for line in [
            "NEW a quiz", "NEW b quiz", "SEND b start", "NEW c quiz", "SEND c start", "SEND c answer", "SEND c nonsense",
        ] { _ = try client.ask(line) }
    }

    private func texts(_ answer: Answer?) -> [String] {
        answer.map { $0.isError ? ["\($0.sentence ?? "")"] : $0.list.compactMap(\.text) } ?? []
    }

    private func past(_ client: TestClient, _ session: String) throws -> [String] {
        _ = try client.ask("HELLO 3")
        return try client.ask("HISTORY \(session)").list.map { line in
            ["event", "from", "to", "refused", "definition"].map { line[$0]?.text ?? "-" }.joined(separator: " ")
        }
    }

    @Test func `RELOAD applies changed flow files and reports its effect on sessions, as RELOAD DRY predicts`() throws {
        let flows = try FlowFolder()
        let daemon = try flows.start()
        try play(daemon)
        #expect(texts(try daemon.ask("RELOAD")) == ["quiz: unchanged"])
        try flows.write(FlowFolder.quiz("shown"))
        try flows.write(#"{ id: "other", initial: "here", states: { here: {} } }"#, to: "a.json")
        let said = [
            "other: new",
            "quiz: changed, 2 sessions continue, 1 is set aside: 'quiz' has no state 'reveal'; available: lobby, question, shown",
        ]
        let dry = [
            "other: would be new",
            "quiz: would change, 2 sessions would continue, 1 would be set aside: 'quiz' has no state 'reveal'; available: lobby, question, shown",
        ]
        #expect(texts(try daemon.ask("RELOAD DRY")) == dry)
        #expect(!daemon.errors.contains("DRY"), "the log tells what was done")
        #expect(try daemon.ask("STATE c").isError == false && daemon.ask("NEW here other").code == .noFlow)
        #expect(texts(try daemon.ask("RELOAD")) == said)
        #expect(try daemon.ask("NEW here other").text == "here")
        #expect(try daemon.ask("SEND b answer").text == "shown")
        #expect(try daemon.ask("STATE c").sentence?.contains("'quiz' has no state 'reveal'") == true)
        #expect(daemon.complains("error: 'c' was set aside when its flow changed: 'quiz' has no state 'reveal'"))
        try flows.remove("a.json")
        #expect(
            texts(try daemon.ask("RELOAD")) == [
                "other: gone, 1 session is set aside: the flow 'other' no longer exists", "quiz: unchanged",
            ])
    }

    @Test func `A reload with an error in any flow file changes nothing, and reports the errors`() throws {
        let flows = try FlowFolder()
        let daemon = try flows.start()
        try play(daemon)
        try flows.write(FlowFolder.quiz("shown"))
        try flows.write("{ id: 'broken', states: { a: { on: { b: 'c' } } }, foo: 1 }", to: "broken.json5")
        let answer = try daemon.ask("RELOAD")
        #expect(answer.code == .badFlow)
        let first = "\(flows.path)/broken.json5:1:"
        #expect(
            answer.sentence?.hasPrefix(first) == true
                && answer.sentence?.hasSuffix("; nothing has changed") == true)
        #expect(answer.sentence?.contains("; the log has ") == true)
        daemon.signal(SIGHUP)
        #expect(
            daemon.complains("error: SIGHUP: \(first)") && daemon.complains("error: SIGHUP: nothing has changed"))
        #expect(try daemon.ask("SEND b answer").text == "reveal")
        try flows.remove("broken.json5")
        try flows.write("{ id: 'game', initial: 'a', states: { a: {} } }", to: "again.json5")
        #expect(try daemon.ask("RELOAD").sentence?.contains("there is a flow 'game' in the program itself") == true)
        try flows.write("{ id: 'quiz', initial: 'a', states: { a: {} } }", to: "again.json5")
        #expect(
            try daemon.ask("RELOAD").sentence?.contains("there is a flow 'quiz' in \(flows.path)/again.json5 already") == true)
        #expect(try daemon.ask("STATE b").isError == false)
    }

    @Test func `SIGHUP applies changed flow files, and logs the reply of RELOAD`() throws {
        let flows = try FlowFolder()
        let daemon = try flows.start()
        try play(daemon)
        try flows.write(FlowFolder.quiz("shown"))
        daemon.signal(SIGHUP)
        #expect(
            daemon.complains("notice: SIGHUP: quiz: changed, 2 sessions continue, 1 is set aside: 'quiz' has no state 'reveal'")
        )
        #expect(try daemon.ask("SEND b answer").text == "shown")
    }

    @Test func `A running timer that a changed flow file lacks is logged, on RELOAD and at the next start`() throws {
        let flows = try FlowFolder()
        let warning = "session 'room' in state 'asking': its timer"
        try flows.write(timer: "first")
        var daemon = try flows.start()
        _ = try daemon.ask("NEW room quiz")
        try flows.write(timer: "second")
        #expect(texts(try daemon.ask("RELOAD")).last?.hasPrefix("\(warning) 'first' has no counterpart") == true)
        #expect(daemon.complains("warning: RELOAD: \(warning) 'first' has no counterpart in the new file and ends, with "))
        _ = try daemon.ask("NEW late quiz")
        try flows.write(timer: "third")
        daemon = try flows.restart(daemon)
        #expect(daemon.complains("warning: session 'late' in state 'asking': its timer 'second' has no counterpart"))
        #expect(!daemon.errors.contains(warning), "its timer had ended before")
    }

    @Test func `RETRY of a quarantined session logs a running timer that the changed flow file lacks`() throws {
        let flows = try FlowFolder()
        let warning = "session 'room' in state 'asking': its timer 'first' has no counterpart in the new file and ends, with "
        try flows.write(timer: "first")
        let first = try flows.start()
        #expect(try first.ask("NEW room quiz").text == "asking")
        try flows.store.end(first, isKilled: false)
        // The row no longer matches its checksum, and can be read.
        try flows.folder.sql("UPDATE sessions SET version = 6 WHERE name = 'room'")
        try flows.write(timer: "second")
        let daemon = try flows.start(["--accept-loss"])
        #expect(try daemon.ask("STATE room").code == .setAside)
        #expect(!daemon.errors.contains("counterpart"))
        #expect(try daemon.ask("RETRY room").text == "asking")
        #expect(daemon.complains("warning: \(warning)"), "\(daemon.errors)")
    }

    @Test func `Invalid flow files fail the start and --check, with all of their errors`() throws {
        let flows = try FlowFolder()
        try flows.write("{ id: 'broken', states: { a: { on: { b: 'c' } } }, foo: 1 }")
        let daemon = try RunningDaemon(keepingIn: flows.folder, flows.words)
        #expect(daemon.waitForStatus() == 65)
        #expect(daemon.errors.split(separator: "\n").count > 2 && daemon.errors.contains("\(flows.path)/quiz.json5:1:"))
        let gamed = productsDirectory.appending(path: "gamed").path
        let words = ["--check", "--socket", flows.folder.socket, "--data", flows.folder.data] + flows.words
        #expect(try run(gamed, words).output == daemon.errors)
        try flows.write(FlowFolder.quiz())
        #expect(try run(gamed, words).output.contains("quiz (3 states)"))
    }

    @Test(arguments: StoreKind.thorough) func `A set-aside session is kept over restarts until it fits`(storeKind: StoreKind)
        throws
    {
        let flows = try FlowFolder(storeKind)
        var daemon = try flows.start()
        try play(daemon)
        let life = try #require(try daemon.ask("STATE c")["life"]?.integer)
        let before = try past(daemon.client(), "c")
        try flows.write(FlowFolder.quiz("shown"))
        _ = try daemon.ask("RELOAD")
        #expect(try past(daemon.client(), "c") == before)
        daemon = try flows.restart(daemon)
        #expect(try daemon.ask("STATE c").sentence?.contains("'quiz' has no state 'reveal'") == true)
        #expect(try past(daemon.client(), "c") == before)
        // A node declines a shard whose flows it does not have.
        if storeKind == .directory {
            try flows.remove("quiz.json5")
            daemon = try flows.restart(daemon, isKilled: false)
            #expect(texts(try daemon.ask("SESSIONS 0 STATE !").list.last) == ["a", "b", "c"])
        }
        try flows.write(FlowFolder.quiz())
        let back =
            storeKind == .directory ? "quiz: new, 3 sessions are restored" : "quiz: changed, 2 sessions continue, 1 is restored"
        #expect(texts(try daemon.ask("RELOAD")) == [back])
        #expect(try past(daemon.client(), "c") == before)
        let state = try daemon.ask("STATE c")
        #expect(state["state"]?.text == "reveal" && state["version"]?.integer == 2 && state["life"]?.integer == life)
        _ = try daemon.ask("SEND c next")
        daemon = try flows.restart(daemon)
        #expect(try past(daemon.client(), "c").dropFirst() == before[...])
        #expect(try daemon.ask("STATE c")["state"]?.text == "question")
        #expect(try flows.store.query("SELECT count(*) FROM sessions") == "3")
    }

    @Test func `A set-aside session's timers stop, and continue by their restart policy`() throws {
        let flows = try FlowFolder()
        let daemon = try flows.start(["--time", "virtual"])
        try play(daemon)
        _ = try daemon.ask("ADVANCE 10s")
        try flows.write(FlowFolder.quiz("shown"))
        _ = try daemon.ask("RELOAD")
        #expect(try daemon.ask("ADVANCE 1h").integer == 2, "the two of the session that went on")
        try flows.write(FlowFolder.quiz())
        _ = try daemon.ask("RELOAD")
        #expect(try daemon.ask("ADVANCE 49999ms").integer == 0)
        #expect(try daemon.ask("ADVANCE 1ms").integer == 1, "freeze: the hour does not count")
    }

    @Test func `A parent gets an error for a set-aside child, and owns the child again once it is reinstated`() throws {
        let flows = try FlowFolder()
        try flows.write(
            """
            { id: "evening", initial: "idle", states: {
                idle: { on: { play: "playing" } },
                playing: {
                  invoke: { id: "round", flow: "quiz" },
                  on: { "error.invoke.round": { target: ".alone", reenter: false }, stop: "idle" },
                  initial: "well", states: { well: {}, alone: {} } } } }
            """, to: "evening.json5")
        let daemon = try flows.start()
        let client = try daemon.client()
        for line in ["NEW e evening", "SEND e play", "SEND e/round start", "SEND e/round answer"] {
            #expect(try !client.ask(line).isError, "\(line)")
        }
        try flows.write(FlowFolder.quiz("shown"))
        #expect(texts(try client.ask("RELOAD")).first?.hasPrefix("quiz: changed, 1 session is set aside: ") == true)
        try flows.write("{ id: 'lonely', states: { a: { invoke: { flow: 'nobody' } } } }", to: "lonely.json5")
        #expect(
            texts(try client.ask("RELOAD DRY")).last
                == "\(flows.path)/lonely.json5:1:48: warning: it invokes the flow 'nobody', which does not exist here")
        try flows.remove("lonely.json5")
        #expect(try client.ask("STATE e")["state"]?.text == "playing.alone")
        try flows.write(FlowFolder.quiz())
        #expect(texts(try client.ask("RELOAD")).first == "quiz: changed, 1 session is restored")
        #expect(try client.ask("SEND e stop").text == "idle")
        #expect(try client.ask("STATE e/round").code == .noSession, "it was dropped with the state that had created it")
    }

    @Test func `A warning about a flow file is logged with its level once, at the start and on RELOAD`() throws {
        let flows = try FlowFolder()
        try flows.write("{ id: 'lonely', states: { a: { invoke: { flow: 'nobody' } } } }", to: "lonely.json5")
        let daemon = try flows.start()
        let warning = "\(flows.path)/lonely.json5:1:48: it invokes the flow 'nobody', which does not exist here"
        #expect(daemon.complains("warning: \(warning)"), "\(daemon.errors)")
        _ = try daemon.ask("RELOAD")
        #expect(daemon.complains("warning: RELOAD: \(warning)"), "\(daemon.errors)")
    }

    @Test(arguments: StoreKind.thorough) func `A kill in the middle of a reload loses no session`(storeKind: StoreKind) throws {
        for delay in storeKind == .directory ? [0, 2, 5, 15, 40] : [0, 15] {
            let flows = try FlowFolder(storeKind)
            var daemon = try flows.start()
            let count = storeKind == .directory ? 8_000 : 2_000
            let client = try daemon.client()
            let lines = (0..<count).flatMap { number -> [String] in
                let begin = ["NEW s\(number) quiz"]
                return number % 2 == 0 ? begin : begin + ["SEND s\(number) start", "SEND s\(number) answer"]
            }
            for start in stride(from: 0, to: lines.count, by: 1_000) {
                let part = Array(lines[start..<min(start + 1_000, lines.count)])
                client.send(part)
                for _ in part { _ = try client.next() }
            }
            try flows.write(FlowFolder.quiz("shown"))
            client.send(["RELOAD"])
            usleep(useconds_t(delay * 1_000))
            daemon = try flows.restart(daemon)
            #expect(try daemon.ask("SEND s0 start").text == "question")
            #expect(try daemon.ask("STATE s1").code == .setAside)
            #expect(
                try daemon.ask("INFO persistence").text?.contains("sessions_set_aside:\(count / 2)") == true,
                "after \(delay) ms")
            try flows.write(FlowFolder.quiz())
            #expect(
                texts(try daemon.ask("RELOAD")) == ["quiz: changed, \(count / 2) sessions continue, \(count / 2) are restored"])
            #expect(try daemon.ask("STATE s\(count - 1)")["version"]?.integer == 2)
            daemon = try flows.restart(daemon, isKilled: false)
            #expect(try flows.store.query("SELECT count(*), count(distinct name) FROM sessions") == "\(count)|\(count)")
        }
    }

    @Test func `A replay that differs because its flow file changed says so`() throws {
        let flows = try FlowFolder()
        let daemon = try flows.start()
        try play(daemon)
        let gamectl = productsDirectory.appending(path: "gamectl").path
        let words = ["--socket", flows.folder.socket, "replay", "c", "--flows", flows.path]
        #expect(try run(gamectl, words).status == 0)
        let old = try #require(try daemon.ask("DESCRIBE quiz")["definition"]?.text)
        try flows.write(FlowFolder.quiz("shown"))
        let differing = try run(gamectl, words)
        #expect(differing.status == 1)
        _ = try daemon.ask("RELOAD")
        let new = try #require(try daemon.ask("DESCRIBE quiz")["definition"]?.text)
        #expect(
            differing.output.hasPrefix(
                "c: the flow's definition has changed: recorded under \(old), replayed under \(new)\nc: differs"),
            "\(differing)")
        // The replay of a session without a difference reports nothing.
        #expect(try run(gamectl, words.map { $0 == "c" ? "a" : $0 }).status == 0)
    }
}
