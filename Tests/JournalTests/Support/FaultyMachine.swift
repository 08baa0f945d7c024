// A machine whose disk and clocks a test controls, and the daemons on it.

import Foundation
import TestSupport
import Testing

final class FaultyMachine {
    let folder: Folder
    let faults: Faults
    private var boots = 0

    init(_ folder: Folder) throws {
        self.folder = folder
        faults = try Faults(in: folder)
        try reboot()
    }

    /// Starts a daemon and waits until it is up.
    func start(
        _ words: [String] = ["--durability", "always"], environment: [String: String] = [:], unprobed: String? = nil
    ) throws -> RunningDaemon {
        let daemon = try launch(words, environment: environment, unprobed: unprobed)
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        return daemon
    }

    func launch(
        _ words: [String] = ["--durability", "always"], environment: [String: String] = [:], program: String = "gamed",
        unprobed: String? = nil
    ) throws -> RunningDaemon {
        let faulty = faults.environment.merging(["GAMED_FAULTS_BOOT": folder.path + "/boot"]) { $1 }
        return try RunningDaemon(
            keepingIn: folder, words, environment: faulty.merging(environment) { $1 }, program: program, unprobed: unprobed)
    }

    /// Simulates a reboot: from now on the boot id is another one.
    func reboot() throws {
        boots += 1
        let id = "0000000\(boots)-0000-4000-8000-000000000000\n"
        try Data(id.utf8).write(to: URL(fileURLWithPath: folder.path + "/boot"))
    }
}
