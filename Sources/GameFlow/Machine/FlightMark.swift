// The session in progress and the activity on it, in one word that survives a crash.

/// The current activity in a session, in 64 bits; zero means none.
public struct FlightMark: Equatable, Sendable {
    /// The kind of activity.
    public enum Activity: UInt8, Sendable, CaseIterable {
        /// An event is handled; the number is its index in the flow's catalogue.
        case event = 1
        /// A timer's event is handled; the number is the timer's index.
        case timer
        /// A hook or an orchestrator runs, or its result is handled.
        case work
        /// The session is read: its screen, accepted events or data.
        case read
        /// A state is forced.
        case force
        /// A command runs; the number is the host's.
        case command
        /// The session is being restored; the slot is its row number.
        case restoring
    }

    /// Stands for no number.
    public static let none = UInt16.max
    /// The slot of a session that is still being made.
    public static let noSlot = UInt32.max

    /// From the highest bit down: slot, number, activity and stamp.
    public let word: UInt64

    /// The activity, on the session in that slot of its owner.
    @inlinable
    public init(_ activity: Activity, _ number: UInt16 = FlightMark.none, of slot: UInt32, stamp: UInt8 = 0) {
        word = UInt64(slot) << 32 | UInt64(number) << 16 | UInt64(activity.rawValue) << 8 | UInt64(stamp)
    }

    /// The activity, on the session of that machine.
    @inlinable
    public init(_ activity: Activity, _ number: UInt16 = FlightMark.none, of machine: AnyMachine) {
        self.init(activity, number, of: machine.tag, stamp: machine.stamp)
    }

    /// Nil if the word is not a valid mark.
    public init?(word: UInt64) {
        guard Activity(rawValue: UInt8(truncatingIfNeeded: word >> 8)) != nil else { return nil }
        self.word = word
    }

    /// The owner's slot number of the session; `noSlot` for one that is being made.
    public var slot: UInt32 { UInt32(truncatingIfNeeded: word >> 32) }
    /// The index of the event, timer, or command, by the activity; `none` if it has no index.
    public var number: UInt16 { UInt16(truncatingIfNeeded: word >> 16) }
    /// Distinguishes the session from earlier ones in its slot.
    public var stamp: UInt8 { UInt8(truncatingIfNeeded: word) }
    /// The kind of activity.
    public var activity: Activity { Activity(rawValue: UInt8(truncatingIfNeeded: word >> 8)) ?? .read }
}

/// The memory of the mark. Each caller of a flow's code sets the mark before and resets it after.
public struct FlightRecorder: Sendable {
    @usableFromInline let mark: SharedWord

    package init(_ mark: SharedWord) {
        self.mark = mark
    }

    /// Sets the mark, and returns the previous one for `leave`.
    @inlinable public func enter(_ new: FlightMark) -> UInt64 {
        let outer = mark.value
        mark.set(new.word)
        return outer
    }

    /// Restores the previous mark.
    @inlinable public func leave(_ outer: UInt64) {
        mark.set(outer)
    }

    /// Whether no session is being handled.
    @inlinable public var isClear: Bool { mark.value == 0 }
}

extension AnyMachine {
    /// Runs the flow's code with the mark set for this session.
    @inlinable final func withFlightMark<Result, Failure: Error>(
        _ activity: FlightMark.Activity, _ number: UInt16 = FlightMark.none, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let flight = kind.flight
        let outer = flight?.enter(FlightMark(activity, number, of: self)) ?? 0
        defer { flight?.leave(outer) }
        return try body()
    }

    /// The same, unless a mark is set already: that one names the activity more exactly.
    @inlinable
    final func withFlightMarkIfClear<Result, Failure: Error>(
        _ activity: FlightMark.Activity, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let flight = kind.flight, flight.isClear else { return try body() }
        return try withFlightMark(activity, FlightMark.none, body)
    }
}
