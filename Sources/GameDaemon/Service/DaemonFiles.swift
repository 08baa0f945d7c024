// The files of a running daemon. Flow files can be many and large, so they are read on a thread of their own.

import Commands
import Dispatch
import EventLoop
import GameFlow
import Logging
import Sessions
import Synchronization

final class DaemonFiles: ReadableFiles {
    private let library: FlowLibrary
    private let executor: (any TaskExecutor)?
    private unowned let sessions: Sessions
    private let log: Log
    /// The other files that are read again.
    var others: [Reloadable] = []
    private let shelf = Shelf()
    private var watch: WakerWatch?
    private var whenRead: ((FilesRead) -> Void)?

    /// What has been read, between the two threads.
    private final class Shelf: Sendable {
        let read = Mutex<FlowShelf?>(nil)
    }

    init(
        _ library: FlowLibrary, _ executor: (any TaskExecutor)?, for sessions: Sessions, on loop: Loop, log: Log
    ) throws(LoopFailure) {
        self.library = library
        self.executor = executor
        self.sessions = sessions
        self.log = log
        watch = try WakerWatch(on: loop) { [unowned self] in take() }
    }

    func read(isDry: Bool, whenRead: @escaping (FilesRead) -> Void) {
        guard !library.paths.isEmpty, let waker = watch?.waker else { return whenRead(FilesRead()) }
        self.whenRead = whenRead
        let (library, shelf) = (library, shelf)
        DispatchQueue.global().async {
            let read = library.read()
            shelf.read.withLock { $0 = read }
            waker.wake()
        }
    }

    private func take() {
        guard let read = shelf.read.withLock({ $0.take() }), let whenRead else { return }
        self.whenRead = nil
        whenRead(read.changes(from: sessions.flows, executor))
    }

    func readNow(isDry: Bool) -> FilesRead { library.read().changes(from: sessions.flows, executor) }

    func readOthers(isDry: Bool) -> [String] { others.map { isDry ? $0.tried : $0.follow(log) } }
}
