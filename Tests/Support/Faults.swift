// A disk and clocks that do as a test says: Tests/Faults/faults.c, built once and preloaded into the programs that a test starts.

import Foundation

package final class Faults {
    package enum Failure: Int32, Sendable {
        case full = 28  // ENOSPC
        case broken = 5  // EIO
    }

    /// It could not be set up.
    private struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    /// What a program is started with so that its files below this folder's data directory are on the disk.
    package let environment: [String: String]
    private let control: UnsafeMutableRawPointer
    private static let size = 4_096

    package init(in folder: Folder) throws {
        let path = folder.path + "/faults"
        try Data(count: Self.size).write(to: URL(fileURLWithPath: path))
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        guard let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED else {
            throw Unavailable(description: "\(path) cannot be mapped")
        }
        control = memory
        environment = [
            "LD_PRELOAD": try Self.library.get(), "GAMED_FAULTS_UNDER": folder.data, "GAMED_FAULTS_CONTROL": path,
        ]
    }

    deinit {
        munmap(control, Self.size)
    }

    // MARK: The disk

    /// From now on; `times` below 0 is until it is repaired.
    package func fail(writing: Failure? = nil, syncing: Failure? = nil, times: Int32 = -1, onlyLog: Bool = false) {
        set(0, writing?.rawValue ?? 0)
        set(4, syncing?.rawValue ?? 0)
        set(12, onlyLog ? 1 : 0)
        set(8, times)
    }

    package func repair() { fail(times: 0) }

    /// Writing takes as long as this is set.
    package var isBlocked: Bool {
        get { control.load(fromByteOffset: 48, as: Int32.self) != 0 }
        set { set(48, newValue ? 1 : 0) }
    }

    /// How many syncs have succeeded.
    package var syncs: Int64 { control.load(fromByteOffset: 16, as: Int64.self) }
    /// How many bytes have been written to the write-ahead log.
    package var logBytes: Int64 { control.load(fromByteOffset: 24, as: Int64.self) }

    private func set(_ offset: Int, _ value: Int32) { control.storeBytes(of: value, toByteOffset: offset, as: Int32.self) }

    // MARK: The clocks

    /// How far the wall clock, and the time since the machine's start, are off, in whole seconds.
    package func shift(wall: Duration = .zero, boot: Duration = .zero) {
        control.storeBytes(of: wall.components.seconds, toByteOffset: 32, as: Int64.self)
        control.storeBytes(of: boot.components.seconds, toByteOffset: 40, as: Int64.self)
    }

    private static let library: Result<String, any Error> = Result {
        let source = packageRoot.appending(path: "Tests/Faults/faults.c").path
        let target = productsDirectory.appending(path: "faults.so").path
        // The compiler that comes with the toolchain: it is what links every Swift program.
        let said = try run("clang", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", target, source]).output
        guard said == "" else { throw Unavailable(description: "faults.c could not be built: \(said)") }
        return target
    }
}
