// A machine whose disk and clocks do as a test says: Tests/Faults/faults.c, built once and preloaded into the daemons on it.

import Foundation
import Testing

final class Machine {
    enum Failure: Int32 {
        case full = 28  // ENOSPC
        case broken = 5  // EIO
    }

    let folder: Folder
    private let control: UnsafeMutableRawPointer
    private static let size = 4_096
    private var boots = 0

    init(_ folder: Folder) throws {
        self.folder = folder
        let path = folder.path + "/faults"
        try Data(count: Self.size).write(to: URL(fileURLWithPath: path))
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        control = try #require(memory == MAP_FAILED ? nil : memory)
        try isStartedAgain()
    }

    deinit {
        munmap(control, Self.size)
    }

    /// One that is up.
    func daemon(_ words: [String] = ["--durability", "always"], environment: [String: String] = [:]) throws -> DaemonProcess {
        let daemon = try start(words, environment: environment)
        try #require(daemon.isUp(), "\(daemon.errors)")
        return daemon
    }

    func start(
        _ words: [String] = ["--durability", "always"], environment: [String: String] = [:], program: String = "gamed"
    ) throws -> DaemonProcess {
        let faults = [
            "LD_PRELOAD": try Self.library.get(), "GAMED_FAULTS_UNDER": folder.data,
            "GAMED_FAULTS_CONTROL": folder.path + "/faults", "GAMED_FAULTS_BOOT": folder.path + "/boot",
        ]
        return try DaemonProcess(in: folder, words, environment: faults.merging(environment) { $1 }, program: program)
    }

    // MARK: The disk

    /// From now on; `times` below 0 is until it is repaired.
    func fail(writing: Failure? = nil, syncing: Failure? = nil, times: Int32 = -1) {
        set(0, writing?.rawValue ?? 0)
        set(4, syncing?.rawValue ?? 0)
        set(8, times)
    }

    func repair() { fail(times: 0) }

    /// Writing takes as long as this is set.
    var isBlocked: Bool {
        get { control.load(fromByteOffset: 48, as: Int32.self) != 0 }
        set { set(48, newValue ? 1 : 0) }
    }

    private func set(_ offset: Int, _ value: Int32) { control.storeBytes(of: value, toByteOffset: offset, as: Int32.self) }

    // MARK: The clocks

    /// How far the wall clock, and the time since the machine's start, are off.
    func shift(wall: Duration = .zero, boot: Duration = .zero) {
        control.storeBytes(of: wall.components.seconds * 1_000_000_000, toByteOffset: 32, as: Int64.self)
        control.storeBytes(of: boot.components.seconds * 1_000_000_000, toByteOffset: 40, as: Int64.self)
    }

    /// As after a loss of power: from now on it is another start.
    func isStartedAgain() throws {
        boots += 1
        let id = "0000000\(boots)-0000-4000-8000-000000000000\n"
        try Data(id.utf8).write(to: URL(fileURLWithPath: folder.path + "/boot"))
    }

    private static let library: Result<String, any Error> = Result {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Faults/faults.c").path
        let target = productsDirectory.appending(path: "faults-of-machine.so").path
        // The compiler that comes with the toolchain: it is what links every Swift program.
        let said = try run("clang", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", target, source])
        try #require(said == "", "faults.c could not be built: \(said)")
        return target
    }
}
