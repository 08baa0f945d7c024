// Another program, given some bytes and asked for its answer within bounds of time and size. It blocks: for threads that may wait.

import Glibc

package enum ChildProcess {
    package enum Failure: Error, Equatable {
        case notFound
        case tookTooLong
        case saidTooMuch
        /// It ended with a status that is not 0, or by a signal.
        case failed
    }

    /// Runs a program found in PATH, in a process group of its own that is killed when its time is over, with nothing on standard error.
    package static func answer(
        of words: [String], to input: [UInt8], within duration: Duration, mostBytes: Int, on leash: ChildLeash = ChildLeash()
    ) throws(Failure) -> [UInt8] {
        let deadline = ContinuousClock.now + duration
        let ends = try pair()
        guard let ours = Descriptor(ends.ours), let its = Descriptor(ends.its) else { throw .failed }
        leash.hold(try start(words, talkingTo: its))
        var talk = Talk(ours, input, mostBytes: mostBytes)
        do throws(Failure) {
            try talk.hold(until: deadline)
            guard try leash.waitForEnd(until: deadline) else { throw .failed }
            return talk.answer
        } catch {
            leash.cut()
            throw error
        }
    }

    /// One end of ours and one of the child's, for both directions.
    private static func pair() throws(Failure) -> (ours: Int32, its: Int32) {
        var ends: (Int32, Int32) = (-1, -1)
        let made = withUnsafeMutableBytes(of: &ends) {
            socketpair(
                AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, $0.bindMemory(to: Int32.self).baseAddress)
        }
        guard made == 0 else { throw .failed }
        return (ours: ends.0, its: ends.1)
    }

    private static func start(_ words: [String], talkingTo end: consuming Descriptor) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, end.number, 0)
        posix_spawn_file_actions_adddup2(&actions, end.number, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        prepare(&attributes)
        var process: pid_t = 0
        let path = "PATH=" + (environmentVariable("PATH") ?? "/usr/bin:/bin")
        let program = words[0]
        let status = words.withCStrings { words in
            [path, "LC_ALL=C"].withCStrings { posix_spawnp(&process, program, &actions, &attributes, words, $0) }
        }
        guard status == 0 else { throw status == ENOENT ? .notFound : .failed }
        return process
    }

    /// A group of its own, and signals as a program expects them: the daemon ignores some.
    private static func prepare(_ attributes: inout posix_spawnattr_t) {
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }
}

/// Writing what the program is to read, and reading what it says, whichever it is ready for.
private struct Talk: ~Copyable {
    private let end: Descriptor
    private var rest: ArraySlice<UInt8>
    private let mostBytes: Int
    private(set) var answer: [UInt8] = []

    init(_ end: consuming Descriptor, _ input: [UInt8], mostBytes: Int) {
        end.makeNonblocking()
        self.end = end
        rest = input[...]
        self.mostBytes = mostBytes
        if input.isEmpty { shutdown(self.end.number, Int32(SHUT_WR)) }
    }

    /// Until it says no more.
    mutating func hold(until deadline: ContinuousClock.Instant) throws(ChildProcess.Failure) {
        while true {
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0 else { throw .tookTooLong }
            var state = pollfd(fd: end.number, events: Int16(POLLIN | (rest.isEmpty ? 0 : POLLOUT)), revents: 0)
            guard poll(&state, 1, Int32(min(left.rounded(.up), 60_000))) >= 0 || errno == EINTR else { throw .failed }
            if state.revents & Int16(POLLOUT) != 0, !rest.isEmpty { write() }
            if state.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0, try !read() { return }
        }
    }

    private mutating func write() {
        let count = rest.withUnsafeBytes { send(end.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count > 0 { rest = rest.dropFirst(count) }
        // One that reads no more may still answer.
        if count < 0, errno != EAGAIN, errno != EINTR { rest = [] }
        if rest.isEmpty { shutdown(end.number, Int32(SHUT_WR)) }
    }

    /// False at the end.
    private mutating func read() throws(ChildProcess.Failure) -> Bool {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(end.number, &piece, piece.count, 0)
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
        answer += piece[..<count]
        guard answer.count <= mostBytes else { throw .saidTooMuch }
        return true
    }
}

extension [String] {
    /// As C has lists of words.
    fileprivate func withCStrings<Result>(_ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
        let copies = map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
