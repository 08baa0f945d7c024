// Saves an input that traps the process: a signal handler writes its bytes to a file, and prints the path.

import Glibc

package enum TrapReporter {
    private static let maxCount = 4_096
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
    // Read in the handler of a signal, where nothing may be allocated.
    private nonisolated(unsafe) static let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: maxCount)
    private nonisolated(unsafe) static var count = 0
    private nonisolated(unsafe) static let earlier = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    private nonisolated(unsafe) static var path: UnsafeMutablePointer<CChar>?
    private nonisolated(unsafe) static var sentence: UnsafeMutablePointer<CChar>?

    /// From now on an input that traps is saved as the file `.build/fuzz-TARGET`. A process tries the inputs of one target of `scripts/fuzz`.
    package static func start(target: String) {
        let file = ".build/fuzz-\(target)"
        path = strdup(file)
        sentence = strdup(
            "\n\nThis input ended the process, and is in \(file) now: scripts/fuzz \(target) \(file) shows it.\n\n")
        _ = isListening
    }

    /// Sets the input that is tried next; an empty one is not saved.
    package static func setInput(_ input: [UInt8]) {
        count = min(input.count, maxCount)
        bytes.update(from: input, count: count)
    }

    private static let isListening: Bool = {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            write()
            // Then the earlier handler runs.
            sigaction(number, earlier + Int(number), nil)
            raise(number)
        }
        _ = bytes
        for number in signals { sigaction(number, &action, earlier + Int(number)) }
        return true
    }()

    private static func write() {
        guard count > 0, let path, let sentence else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = Glibc.write(descriptor, bytes, count)
        close(descriptor)
        _ = Glibc.write(STDERR_FILENO, sentence, strlen(sentence))
    }
}
