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
