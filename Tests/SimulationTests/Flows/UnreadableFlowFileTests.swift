// Flow files that cannot be read.

import Glibc
import Statecharts
import Testing

@testable import Simulation

@Suite struct `A flow file that cannot be read` {
    @Test(arguments: [
        ("/nowhere/quiz.json5", "No such file or directory"), ("/tmp", "it is not a regular file"),
        ("/dev/zero", "it is not a regular file"),
    ])
    func `A flow file that cannot be read is reported with the reason`(_ path: String, _ reason: String) {
        #expect(FlowFile(checking: path).complaints == ["\(path):1:1: error: the file cannot be read: \(reason)"])
    }

    @Test func `A flow file that is a FIFO without a writer does not block`() {
        let path = "/tmp/gamed-flow-\(getpid()).json5"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        #expect(
            FlowFile(checking: path).complaints == ["\(path):1:1: error: the file cannot be read: it is not a regular file"])
    }
}

@Suite struct `A check of a flow file that explores it` {
    private static let text = """
        { id: "path", states: {
          a: { on: { go: "b" } }, b: { on: { go: "c" } }, c: { on: { go: "d", stop: { guard: "false", target: "e" } } },
          d: { type: "final" }, e: {} } }
        """

    @Test func `A check names the states that exploring did not reach, unless exploring has stopped before its end`() {
        let file = FlowFile(bytes: Array(Self.text.utf8), path: "path.json5")
        #expect(
            FlowCheck(isStrict: false, isVerbose: true, model: nil).report(on: file).notes == [
                "'e' was not reached by exploring"
            ])
        let stopped = ["exploring stopped after 2 moves, before it knew which states are not reached or not left"]
        #expect(FlowCheck(isStrict: false, isVerbose: true, model: nil, maxMoves: 2).report(on: file).notes == stopped)
        #expect(FlowCheck(isStrict: false, isVerbose: false, model: nil, maxMoves: 2).report(on: file).notes == [])
    }
}
