// A disk that fails on demand, and the files as after a loss of power.

import Foundation
import TestSupport

final class FaultyDisk {
    let folder: Folder
    let faults: Faults

    /// The files as after a loss of power.
    let afterPowerLoss: Folder

    init(_ folder: Folder) throws {
        self.folder = folder
        faults = try Faults(in: folder)
        afterPowerLoss = try Folder()
        try FileManager.default.createDirectory(atPath: afterPowerLoss.data, withIntermediateDirectories: true)
    }

    /// A program on this disk.
    func probe() throws -> StoreProbe {
        try StoreProbe(faults.environment.merging(["GAMED_FAULTS_SHADOW": afterPowerLoss.data]) { $1 })
    }
}
