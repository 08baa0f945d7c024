// The daemon in directories that others can write to.

import Foundation
import Testing

@Suite struct `A directory that everybody can write to` {
    /// A directory like /tmp; what is in it is gone with it.
    private final class Place {
        let path = FileManager.default.temporaryDirectory.appending(path: "all-\(UUID().uuidString.prefix(8))").path

        init() throws { try #require(mkdir(path, 0o700) == 0 && chmod(path, 0o1777) == 0) }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
    }

    @Test(.timeLimit(.minutes(1)))
    func `A directory that all can write to does not hold startup's user: nothing is written through a planted link`()
        throws
    {
        let place = try Place()
        let daemon = try RunningDaemon(["--socket", place.path + "/it.sock", "--session", "app=startup"])
        _ = daemon.readLine()
        let victim = place.path + "/victim"
        try "precious".write(toFile: victim, atomically: false, encoding: .utf8)
        let process = daemon.process.processIdentifier
        for name in ["it.sock.user.\(process).new", "it.sock.user.new"] {
            try #require(symlink(victim, place.path + "/" + name) == 0)
        }
        for event in ["didLaunch", "loginRequested"] {
            // What comes of an event is worked on elsewhere for a moment.
            while try Program(gamectlPath, ["send", "app", event, "--socket", place.path + "/it.sock"]).status != 0 {}
        }
        #expect(daemon.complains("is not remembered: others can write beside \(place.path)/it.sock.user"))
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        #expect(place.names == ["it.sock", "it.sock.user.\(process).new", "it.sock.user.new", "victim"])
        // Who is not remembered comes in all the same.
        let ready = ["sessions", "--state", "ready", "--socket", place.path + "/it.sock"]
        while try Program(gamectlPath, ready).output != "app\n" {}
    }
}
