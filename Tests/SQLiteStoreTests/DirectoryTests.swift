// The data directory, if its parent directories are missing, too, and one that a move makes.

import Foundation
import Store
import Synchronization
import TestSupport
import Testing
@testable import SQLiteStore

@Suite struct `A data directory whose parents are missing` {
    private let folder: Folder
    private var path: String { folder.path + "/.local/share/gamed" }

    init() throws { folder = try Folder() }

    private func open(makesParents: Bool) throws -> SQLiteStore {
        try SQLiteStore(directory: path, makesParents: makesParents, durability: .everysec, historyCapacity: 10)
    }

    @Test func `The default data directory is made with its missing parents, for its owner alone`() throws {
        #expect(try SQLiteStore.check(directory: path, makesParents: true) { _ in false } == false)
        let store = try open(makesParents: true)
        for part in ["/.local", "/.local/share", "/.local/share/gamed"] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path + part)[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
        try store.close()
        try open(makesParents: true).close()
    }

    @Test func `A daemon starts on a directory that is being checked`() throws {
        try open(makesParents: true).close()
        let checks = Checks()
        Thread { [path] in checks.run(on: path) }.start()
        defer { checks.areOver.store(true, ordering: .relaxed) }
        while checks.count.load(ordering: .relaxed) < 1_000 { _ = try DataDirectory(path) }
    }

    /// Does with a directory what checks do, as often as it can.
    private final class Checks: Sendable {
        let count = Atomic(0)
        let areOver = Atomic(false)

        func run(on path: String) {
            let directory = Glibc.open(path, O_RDONLY)
            defer { close(directory) }
            while !areOver.load(ordering: .relaxed) {
                guard flock(directory, LOCK_SH | LOCK_NB) == 0 else { continue }
                flock(directory, LOCK_UN)
                count.add(1, ordering: .relaxed)
                sched_yield()
            }
        }
    }

    @Test func `A given data directory is refused if its parent is missing, with the command that makes it`() throws {
        let parent = folder.path + "/.local/share"
        let sentence =
            "cannot create the data directory \(path): the directory \(parent) does not exist; create it: mkdir -p \(parent)"
        #expect(try #require(throws: StoreError.self) { try open(makesParents: false) }.description == sentence)
        let check = try #require(throws: StoreError.self) { try SQLiteStore.check(directory: path) { _ in false } }
        #expect(check.description == sentence)
    }
}

@Suite struct `A data directory that was moved into a database` {
    /// A note that is written in place is empty after a crash, and then neither a start nor a repeated move works.
    @Test func `The note of a move replaces an earlier one as a whole, and a start is refused with its place`() throws {
        let folder = try Folder()
        try SQLiteStore(directory: folder.data, durability: .everysec, historyCapacity: 10).close()
        let (note, former) = (folder.data + "/gamed.moved", folder.path + "/former")
        let move = try DirectoryMove(from: folder.data, boot: "", resumingTo: "there")
        try move.markMoved(to: "there")
        try #require(link(note, former) == 0)
        try move.markMoved(to: "elsewhere")
        try move.end()
        #expect(try String(contentsOfFile: former, encoding: .utf8) == "there\n")
        #expect(try String(contentsOfFile: note, encoding: .utf8) == "elsewhere\n")
        let refusal = try #require(throws: StoreError.self) {
            try SQLiteStore(directory: folder.data, durability: .everysec, historyCapacity: 10)
        }
        #expect(refusal.description.contains("the sessions were moved to elsewhere, as \(note) says"), "\(refusal)")
        for place in [nil, "there"] {
            #expect(throws: StoreError.self, "also if the note is written after the directory was checked") {
                try SQLiteStore(directory: folder.data, durability: .everysec, historyCapacity: 10, resumingTo: place)
            }
        }
        try DirectoryMove(from: folder.data, boot: "", resumingTo: "elsewhere").end()
    }

    @Test(.enabled(if: geteuid() == 0, "only root works on another user's directory"))
    func `The note of a move by root belongs to the owner of the directory`() throws {
        let folder = try Folder()
        try SQLiteStore(directory: folder.data, durability: .everysec, historyCapacity: 10).close()
        try #require(chown(folder.data, 65_534, 65_533) == 0)
        let move = try DirectoryMove(from: folder.data, boot: "", resumingTo: nil)
        try move.markMoved(to: "there")
        try move.end()
        let note = try FileManager.default.attributesOfItem(atPath: folder.data + "/gamed.moved")
        #expect(note[.ownerAccountID] as? Int == 65_534)
        #expect(note[.groupOwnerAccountID] as? Int == 65_533)
    }
}

@Suite struct `A data directory that a move makes` {
    @Test func `A move that fails leaves nothing of the new directory, even if its database cannot be closed cleanly`() throws {
        let folder = try Folder()
        let move = try DirectoryMove(to: folder.path + "/moved")
        try FileManager.default.removeItem(atPath: folder.path + "/moved.part/gamed.db")
        move.abort()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    /// Formerly that failed only once everything was copied, and then no node started at the database.
    @Test func `A move into a link is refused before anything is moved, and one into an empty directory is not`() throws {
        let folder = try Folder()
        let (link, empty) = (folder.path + "/link", folder.path + "/empty")
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: empty)
        let refusal = try #require(throws: StoreError.self) { try DirectoryMove(to: link) }
        #expect(refusal.cause == .unusable && refusal.description.contains("that does not exist, such as \(link)/sessions"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["empty", "link"])
        // As a move leaves it that ended at its very beginning.
        try FileManager.default.createDirectory(atPath: empty + ".part", withIntermediateDirectories: false)
        let move = try DirectoryMove(to: empty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: empty) == [])
        try move.open()
        #expect(try SQLiteStore.check(directory: empty) { _ in false })
    }
}
