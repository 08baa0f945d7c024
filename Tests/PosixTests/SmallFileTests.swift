// Files that gamed writes, in directories where other users may have put files first.

import Foundation
import Synchronization
import Testing
@testable import Posix

/// A directory with the given mode, which is removed when the test ends.
private final class DirectoryWithMode: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "folder-\(UUID().uuidString.prefix(8))").path

    init(mode: mode_t = 0o700) throws {
        try #require(mkdir(path, 0o700) == 0 && chmod(path, mode) == 0)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func callAsFunction(_ name: String) -> String { path + "/" + name }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

    /// Makes a file with this mode; by default only its owner can write it.
    func write(_ text: String, _ name: String, mode: mode_t = 0o600) throws {
        try text.write(toFile: self(name), atomically: false, encoding: .utf8)
        try #require(chmod(self(name), mode) == 0)
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: self(name), encoding: .utf8) }
}

@Suite struct `A small file of gamed's own` {
    @Test func `A small file is not written through a link in its place or its draft's place`() throws {
        let folder = try DirectoryWithMode()
        try folder.write("precious", "victim")
        for name in ["it.new", "it", "it.\(getpid()).new"] {
            try #require(symlink(folder("victim"), folder(name)) == 0)
        }
        try SmallFile(own: folder("it")).replace(with: "ours")
        #expect(try folder.text("victim") == "precious")
        #expect(try SmallFile(own: folder("it")).text() == "ours")
        #expect(folder.names == ["it", "it.\(getpid()).new", "victim"])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder("it"))
        #expect(attributes[.type] as? FileAttributeType == .typeRegular && attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `A small file replaces a draft that a crash has left behind`() throws {
        let folder = try DirectoryWithMode()
        try folder.write("half of", "it.new", mode: 0o400)
        try SmallFile(own: folder("it")).replace(with: "all of it")
        #expect(try folder.text("it") == "all of it")
        #expect(folder.names == ["it"])
    }

    @Test func `A draft of a small file is beside the old contents, and is removed unless it replaces them`() throws {
        let folder = try DirectoryWithMode()
        try folder.write("old", "it", mode: 0o640)
        do {
            let draft = try SmallFile(folder("it")).draft(of: "new", keepingOwner: true)
            #expect(try folder.text("it") == "old" && folder.text("it.new") == "new")
            _ = draft
        }
        #expect(try folder.text("it") == "old" && folder.names == ["it"])
        try SmallFile(folder("it")).draft(of: "new", keepingOwner: true).replaceFile()
        #expect(try folder.text("it") == "new" && folder.names == ["it"])
        #expect(try FileManager.default.attributesOfItem(atPath: folder("it"))[.posixPermissions] as? Int == 0o640)
        // A directory in its place cannot be removed.
        try #require(mkdir(folder("it.new"), 0o700) == 0)
        let error = #expect(throws: FileError.self) { _ = try SmallFile(folder("it")).draft(of: "newer") }
        #expect(error?.description == "cannot write \(folder("it")).new: File exists")
        #expect(try folder.text("it") == "new")
    }

    @Test func `A small file is complete even if many threads write it at once`() throws {
        let folder = try DirectoryWithMode()
        let texts = (0..<20).map { String(repeating: "\($0 % 10)", count: 10_000 + $0) }
        let failures = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: texts.count) { index in
            do { try SmallFile(own: folder("it")).replace(with: texts[index]) } catch { failures.withLock { $0 += 1 } }
        }
        #expect(failures.withLock { $0 } == 0)
        #expect(texts.contains(try folder.text("it")))
        #expect(folder.names == ["it"])
    }

    @Test func `A small file is not read if other users can write it, and reading never blocks`() throws {
        let folder = try DirectoryWithMode()
        try folder.write("theirs", "file")
        try folder.write("anybody's", "open", mode: 0o622)
        try folder.write("two names", "one")
        try #require(link(folder("one"), folder("other")) == 0)
        try #require(symlink(folder("file"), folder("link")) == 0)
        try #require(mkfifo(folder("pipe"), 0o600) == 0)
        try #require(mkdir(folder("folder"), 0o700) == 0)
        for (name, reason) in [
            ("open", "others can write to it"), ("one", "it belongs to another user, or has a second name"),
            ("link", "it is a symbolic link, which is not followed here"), ("pipe", "it is not a regular file"),
            ("folder", "it is not a regular file"),
        ] {
            let error = #expect(throws: FileError.self) { try SmallFile(own: folder(name)).text() }
            #expect(error?.description == "cannot read \(folder(name)): \(reason)")
        }
        #expect(try SmallFile(own: folder("file")).text() == "theirs")
        #expect(try SmallFile(own: folder("nothing")).text() == nil)
        if geteuid() == 0 {
            try #require(chown(folder("file"), 12_345, 12_345) == 0)
            let error = #expect(throws: FileError.self) { try SmallFile(own: folder("file")).text() }
            #expect(error?.reason == "it belongs to another user, or has a second name")
        }
    }

    @Test func `A small file that an option names may be a link, but must not be too large`() throws {
        let folder = try DirectoryWithMode()
        try folder.write("theirs", "file")
        try #require(symlink(folder("file"), folder("link")) == 0)
        #expect(try SmallFile(folder("link")).text() == "theirs")
        #expect(throws: FileError.self) { try SmallFile("/dev/zero").text() }
    }
}
