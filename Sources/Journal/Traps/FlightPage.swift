// A page of memory that says which session is being handled, and that a trap was the end of that: for those who need not wait for the next
// process to read it, since a trap holds this one up until they have.

import CTrap
import EventLoop
import GameFlow
import Glibc
import Posix
import Sessions

final class FlightPage: Sendable {
    /// Written by the loop's thread, and by the handler of its trap.
    private nonisolated(unsafe) let header: UnsafeMutablePointer<gamed_flight>

    /// From now on a trap wakes `call`, and ends the process once `answer` is woken, or so much time has passed.
    init(calling call: Waker, answeredBy answer: Waker, atMost milliseconds: Int32) throws(LoopFailure) {
        let memory = mmap(nil, FlightFile.mappedSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw .cannotStart(systemErrorText(errno)) }
        header = memory.bindMemory(to: gamed_flight.self, capacity: 1)
        let failure = gamed_trap_watch(header, FlightFile.mappedSize)
        guard failure == 0 else { throw .cannotStart(systemErrorText(failure)) }
        gamed_trap_call(call.descriptor, answer.descriptor, milliseconds)
    }

    func begin(for sessions: Sessions) {
        guard let offset = MemoryLayout<gamed_flight>.offset(of: \.mark) else { return }
        sessions.flightRecorder = FlightRecorder(SharedWord(at: UnsafeMutableRawPointer(header) + offset))
    }

    func end(for sessions: Sessions) {
        sessions.flightRecorder = nil
        gamed_trap_ignore()
    }

    /// What was being done when a trap ended it; nil if there was none.
    var trapped: FlightMark? { header.pointee.signal == 0 ? nil : FlightMark(word: header.pointee.mark) }
}
