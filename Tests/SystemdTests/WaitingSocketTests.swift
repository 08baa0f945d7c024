// Sockets of stopped services, in a folder like /proc.

import Foundation
import TestSupport
import Testing
@testable import Posix
@testable import Systemd

@Suite struct `The socket of a stopped service` {
    private let folder: Folder
    private let manager = FileManager.default

    init() throws {
        folder = try Folder()
        try write("systemd\n", to: "1/comm")
        try write(
            "Num       RefCount Protocol Flags    Type St Inode Path\n"
                + "0000000000000000: 00000002 00000000 00010000 0001 01 41 /run/other.sock\n"
                + "0000000000000000: 00000003 00000000 00000000 0001 03 42 /run/gamed.sock\n"
                + "0000000000000000: 00000002 00000000 00010000 0001 01  43 /run/gamed.sock\n"
                + "0000000000000000: 00000003 00000000 00000000 0001 03 44\n", to: "net/unix")
        try open("socket:[41]", in: 1)
        try open("socket:[42]", in: 7)
    }

    private func write(_ text: String, to name: String) throws {
        let path = folder.path + "/" + name
        try manager.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    private func open(_ target: String, in process: Int) throws {
        let descriptors = "\(folder.path)/\(process)/fd"
        try manager.createDirectory(atPath: descriptors, withIntermediateDirectories: true)
        let number = try manager.contentsOfDirectory(atPath: descriptors).count
        try manager.createSymbolicLink(atPath: "\(descriptors)/\(number)", withDestinationPath: target)
    }

    private func isWaiting(_ path: String = "/run/gamed.sock") -> Bool {
        WaitingSocket.isPresent(at: path, proc: folder.path)
    }

    @Test func `A socket that systemd alone has open belongs to a stopped service`() throws {
        #expect(!isWaiting(), "nobody has it open")
        try open("socket:[43]", in: 1)
        #expect(isWaiting())
        #expect(!isWaiting("/run/third.sock"))
        try open("socket:[43]", in: 7)
        #expect(!isWaiting(), "the service runs")
    }

    @Test func `A socket of a first process that is not systemd belongs to a daemon`() throws {
        try open("socket:[43]", in: 1)
        try write("gamed\n", to: "1/comm")
        #expect(!isWaiting())
    }

    @Test func `A system whose processes cannot be read has no stopped service`() throws {
        try open("socket:[43]", in: 1)
        try manager.removeItem(atPath: folder.path + "/net")
        #expect(!isWaiting())
        #expect(!WaitingSocket.isPresent(at: "/run/gamed.sock", proc: folder.path + "/none"))
    }
}
