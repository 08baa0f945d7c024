// The systemd units, and the daemon under their restrictions.

import Foundation
import TestSupport
import Testing

@Suite struct `The units` {
    /// Copies the units with the path of this build's program; returns their paths.
    private func units(in folder: Folder) throws -> [String] {
        let source = packageRoot.appending(path: "packaging/systemd")
        let names = try FileManager.default.contentsOfDirectory(atPath: source.path).sorted()
        return try names.filter { $0.hasSuffix(".service") || $0.hasSuffix(".socket") }.map { name in
            let text = try String(contentsOf: source.appending(path: name), encoding: .utf8)
            let path = folder.path + "/" + name
            try text.replacing("@bindir@", with: productsDirectory.path).write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }
    }

    @Test func `The systemd units pass systemd-analyze verify`() throws {
        let folder = try Folder()
        let units = try units(in: folder)
        #expect(units.count >= 4)
        // The manual's pages are not installed on this machine.
        let verified = try run("systemd-analyze", ["verify", "--man=no"] + units)
        #expect(verified == ("", 0), "\(verified.output)")
    }

    @Test func `The service's exposure in systemd-analyze security is at most 12 of 100`() throws {
        let folder = try Folder()
        let service = try #require(units(in: folder).first { $0.hasSuffix("gamed.service") })
        let words = ["security", "--offline=true", "--no-pager"]
        let judged = try run("systemd-analyze", words + ["--threshold=12", service])
        #expect(judged.status == 0, "\(judged.output)")
        #expect(try run("systemd-analyze", words + ["--threshold=5", service]).status != 0)
    }

    @Test func `The service starts, plays, draws, saves and serves the page under the units' restrictions`() async throws {
        let tried = try await python("Tests/Service/confined.py")
        #expect(tried.status == 0, "\(tried.output)")
        #expect(tried.output.contains("right: it stops with status 0") || tried.output.contains("skipped: "), "\(tried.output)")
    }
}
