// Whether the disk takes anything at all: asked of the writer's thread, so that the loop never waits for it.

import Store

extension JournalWriter {
    /// Writes a number that nobody reads, and wakes the loop once that has succeeded or failed.
    func tryDisk() {
        queue.async {
            let answer = DiskAnswer(failure: self.failureOfDisk())
            self.diskAnswer.withLock { $0 = answer }
            self.whenReported()
        }
    }

    private func failureOfDisk() -> String? {
        guard !isFinished else { return "the store is closed" }
        do {
            let now = Self.now()
            try store.materialize { writer throws(StoreError) in try writer.remember("tried", now) }
            try store.sync()
            written.withLock { $0.lastWritten = Self.now() }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// What it said, once.
    func takeDiskAnswer() -> DiskAnswer? {
        diskAnswer.withLock { answer in
            defer { answer = nil }
            return answer
        }
    }
}
