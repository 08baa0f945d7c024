// Flow files on the disk.

import Statecharts
import Posix

extension FlowFile {
    /// Reads the file. One that cannot be read is a problem too.
    package init(path: String) {
        do throws(FileError) {
            self.init(bytes: try PlainFile.bytes(path, atMost: ChartBounds.fileBytes), path: path)
        } catch {
            self.init(path: path, problem: FlowFileProblem(.error, "the file cannot be read: \(error.reason)"))
        }
    }
}
