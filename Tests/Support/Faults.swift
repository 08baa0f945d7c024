// Faults of the disk and the clocks: Tests/Faults/faults.c, built once and preloaded into the programs that a test starts.

import Foundation

package final class Faults {
    package enum Failure: Int32, Sendable {
        case full = 28  // ENOSPC
        case broken = 5  // EIO
    }

    /// The faults library or its control file could not be set up.
    private struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    /// The environment of a program whose files in the folder's data directory are subject to the faults.
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

    /// Makes the next `times` writes or syncs fail; all until `repair` if `times` is negative.
    package func fail(writing: Failure? = nil, syncing: Failure? = nil, times: Int32 = -1, onlyLog: Bool = false) {
        set(0, writing?.rawValue ?? 0)
        set(4, syncing?.rawValue ?? 0)
        set(12, onlyLog ? 1 : 0)
        set(8, times)
    }

    package func repair() { fail(times: 0) }

    /// Writes block while this is true.
    package var isBlocked: Bool {
        get { control.load(fromByteOffset: 48, as: Int32.self) != 0 }
        set { set(48, newValue ? 1 : 0) }
    }

    /// Makes the file system one without hard links, as FAT is.
    package func removeLinks() { set(52, EPERM) }

    /// The number of successful syncs.
    package var syncs: Int64 { control.load(fromByteOffset: 16, as: Int64.self) }
    /// The number of bytes written to the write-ahead log.
    package var logBytes: Int64 { control.load(fromByteOffset: 24, as: Int64.self) }

    private func set(_ offset: Int, _ value: Int32) { control.storeBytes(of: value, toByteOffset: offset, as: Int32.self) }

    // MARK: The clocks

    /// Shifts the wall clock and the time since boot, in whole seconds.
    package func shift(wall: Duration = .zero, boot: Duration = .zero) {
        control.storeBytes(of: wall.components.seconds, toByteOffset: 32, as: Int64.self)
        control.storeBytes(of: boot.components.seconds, toByteOffset: 40, as: Int64.self)
    }

    private static let library: Result<String, any Error> = Result {
        let source = packageRoot.appending(path: "Tests/Faults/faults.c").path
        let target = productsDirectory.appending(path: "faults.so").path
        // Daemons of another process of tests may load the present one meanwhile: it is replaced in one step.
        let made = target + ".\(getpid())"
        // clang comes with the Swift toolchain.
        let said = try run("clang", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", made, source]).output
        guard said == "", rename(made, target) == 0 else {
            throw Unavailable(description: "faults.c could not be built: \(said)")
        }
        return target
    }
}
