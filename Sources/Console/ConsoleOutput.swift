// The console's output, buffered until standard output takes it.

import EventLoop
import Glibc
import Posix
import RESP

/// Notified of what becomes of output.
protocol ConsoleOutputDelegate: AnyObject {
    /// The buffer is empty after it had to wait.
    func outputDidDrain()
    /// Output has failed for good.
    func outputDidFail(_ error: StreamError)
}

/// Nonblocking, with a bounded buffer.
final class ConsoleOutput {
    private static let maxCount = 1 << 20

    private let output = NonblockingOutput(descriptor: STDOUT_FILENO)
    private var queue = ByteQueue()
    private var watch: DescriptorWatch?
    weak var delegate: (any ConsoleOutputDelegate)?

    func start(on loop: Loop) throws(LoopFailure) {
        watch = try DescriptorWatch(output.watchable, .writable, on: loop) { [unowned self] in flush() }
    }

    var isWaiting: Bool { !queue.isEmpty }

    /// False if the buffer has no room for it.
    @discardableResult
    func write(_ text: String) -> Bool {
        var text = text
        let fits = text.withUTF8 { bytes in
            guard queue.count + bytes.count <= Self.maxCount else { return false }
            queue.append(UnsafeRawBufferPointer(bytes))
            return true
        }
        flush()
        return fits
    }

    private func flush() {
        let hadToWait = watch?.isActive ?? false
        while !queue.isEmpty {
            guard let count = output.write(queue.bytes) else {
                let error = StreamError(.write, "standard output", errno)
                queue.removeAll()
                watch?.stop()
                delegate?.outputDidFail(error)
                return
            }
            guard count > 0 else { return waitForRoom() }
            queue.consume(count)
        }
        watch?.stop()
        if hadToWait { delegate?.outputDidDrain() }
    }

    /// Regular files cannot be watched, and never block.
    private func waitForRoom() {
        try? watch?.start()
    }
}
