// A disk that fails on demand: Tests/Faults/faults.c, built once and preloaded into the programs that a test starts.

import Foundation
import Testing

final class FaultyDisk {
    enum Failure: Int32 {
        case full = 28  // ENOSPC
        case broken = 5  // EIO
    }

    let folder: Folder
    private let control: UnsafeMutableRawPointer
    private static let size = 4_096

    /// What would be left after a loss of power.
    let afterPowerLoss: Folder

    init(_ folder: Folder) throws {
        self.folder = folder
        afterPowerLoss = try Folder()
        try FileManager.default.createDirectory(atPath: afterPowerLoss.data, withIntermediateDirectories: true)
        let path = folder.path + "/faults"
        try write(Data(count: Self.size), to: path)
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        control = try #require(memory == MAP_FAILED ? nil : memory)
    }

    deinit {
        munmap(control, Self.size)
    }

    /// A program on this disk.
    func probe() throws -> Probe {
        try Probe([
            "LD_PRELOAD": try Self.library.get(), "GAMED_FAULTS_UNDER": folder.data,
            "GAMED_FAULTS_CONTROL": folder.path + "/faults", "GAMED_FAULTS_SHADOW": afterPowerLoss.data,
        ])
    }

    /// From now on; `times` below 0 is until it is repaired.
    func fail(writing: Failure? = nil, syncing: Failure? = nil, times: Int32 = -1, onlyLog: Bool = false) {
        set(0, writing?.rawValue ?? 0)
        set(4, syncing?.rawValue ?? 0)
        set(12, onlyLog ? 1 : 0)
        set(8, times)
    }

    func repair() { fail(times: 0) }

    private func set(_ offset: Int, _ value: Int32) { control.storeBytes(of: value, toByteOffset: offset, as: Int32.self) }

    /// How many syncs have succeeded.
    var syncs: Int64 { control.load(fromByteOffset: 16, as: Int64.self) }
    /// How many bytes have been written to the write-ahead log.
    var logBytes: Int64 { control.load(fromByteOffset: 24, as: Int64.self) }

    private static let library: Result<String, any Error> = Result {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Faults/faults.c").path
        let target = productsDirectory.appending(path: "faults.so").path
        // The compiler that comes with the toolchain: it is what links every Swift program.
        let said = try run("clang", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", target, source])
        try #require(said == "", "faults.c could not be built: \(said)")
        return target
    }
}
