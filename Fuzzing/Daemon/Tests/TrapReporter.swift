// If a program traps the process, nothing can report it afterwards: its bytes are printed before it runs.

import Glibc

enum TrapReporter {
    static let file = ".build/daemon-program"
    private static let maxCount = 4_096
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
    // Read in the handler of a signal, where nothing may be allocated.
    private nonisolated(unsafe) static let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: maxCount)
    private nonisolated(unsafe) static var count = 0
    private nonisolated(unsafe) static let earlier = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    private nonisolated(unsafe) static let path = strdup(file)
    private static let sentence: StaticString =
        "\n\nThis program ended the process, and lies in .build/daemon-program now: scripts/fuzz daemon .build/daemon-program shows it.\n\n"

    /// Sets the program that runs next.
    static func setProgram(_ program: [UInt8]) {
        _ = isListening
        count = min(program.count, maxCount)
        bytes.update(from: program, count: count)
    }

    private static let isListening: Bool = {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            write()
            // Then the earlier handler runs.
            sigaction(number, earlier + Int(number), nil)
            raise(number)
        }
        _ = (bytes, earlier, path, sentence)
        for number in signals { sigaction(number, &action, earlier + Int(number)) }
        return true
    }()

    private static func write() {
        guard count > 0, let path else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = Glibc.write(descriptor, bytes, count)
        close(descriptor)
        _ = Glibc.write(STDERR_FILENO, sentence.utf8Start, sentence.utf8CodeUnitCount)
    }
}
