// The probe that measures how long one client of a daemon delays the others.

import Foundation
import TestSupport
import Testing

@Suite struct `The probe beside a daemon` {
    /// Stands in for a daemon: it answers each PING, the second one after some CPU time or after some sleep.
    private static let script = """
        import socket, sys, time
        path, kind, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
        server = socket.socket(socket.AF_UNIX)
        server.bind(path)
        server.listen()
        line, _ = server.accept()
        count = 0
        while line.recv(100):
            count += 1
            if count == 2 and kind == "busy":
                end = time.thread_time() + seconds
                while time.thread_time() < end:
                    pass
            if count == 2 and kind == "asleep":
                time.sleep(seconds)
            line.sendall(b"+PONG\\r\\n")
            if count == 3:
                open(path + ".done", "w").close()
        """

    @Test(arguments: ["busy", "asleep"])
    func `The probe reports a long wait only if the loop's thread was busy during it`(kind: String) throws {
        let folder = try Folder()
        let server = try RunningProgram("python3", ["-c", Self.script, folder.socket, kind, isSanitized ? "6" : "1.5"])
        defer { server.killIt() }
        let probe = try #require(LoopProbe(server.processID, ["--socket", folder.socket]))
        let isDone = eventually { FileManager.default.fileExists(atPath: folder.socket + ".done") }
        let fault = probe.end()
        #expect(isDone)
        #expect((fault != nil) == (kind == "busy"), "\(fault ?? "nothing was reported")")
    }

    @Test func `The probe is not started beside a daemon without a UNIX socket, or beside a check`() {
        #expect(LoopProbe(getpid(), ["--listen", "127.0.0.1:0"]) == nil)
        #expect(LoopProbe(getpid(), ["--socket", "none"]) == nil)
        #expect(LoopProbe(getpid(), ["--socket", "/tmp/a", "--check"]) == nil)
    }
}
