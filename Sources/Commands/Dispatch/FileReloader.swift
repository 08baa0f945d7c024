// The files that the daemon was started with, as RELOAD and SIGHUP see them.

import GameFlow

/// What reading the files again has found.
package struct ReloadedFiles {
    /// Flows that are new or have changed.
    package var kinds: [FlowKind] = []
    /// The names of flows whose file is gone.
    package var gone: [String] = []
    /// The names of flows that are as they were.
    package var unchanged: [String] = []
    /// What is wrong with flow files, a sentence each: then nothing changes.
    package var problems: [String] = []
    /// What is wrong with the configuration and with other files, some lines each: then nothing changes either.
    package var refusals: [[String]] = []
    /// What is doubtful in flow files.
    package var warnings: [String] = []
    package init() {}

    var isRight: Bool { problems.isEmpty && refusals.isEmpty }
}

/// Reads the files again.
package protocol FileReloader: AnyObject {
    /// Reads them on another thread, as that can take long, and calls `whenRead` in a turn. Without turns both is done at once. If `isDry`,
    /// nothing but the reading is done.
    func read(isDry: Bool, whenRead: @escaping (ReloadedFiles) -> Void)
    /// The same at once.
    func readNow(isDry: Bool) -> ReloadedFiles
    /// Takes over what else has been read, and says what has come of each. Flows that have changed are hosted by then, which files of
    /// devices may name.
    func readOthers(isDry: Bool) -> [String]
}
