// Which session is being handled, and why, in one word that may lie where it outlives the process: flows are code that other people
// write, and the next process must know whose code the last one died of.

import Timers

/// What is being done with a session, in 64 bits; zero is nothing.
public struct FlightMark: Equatable, Sendable {
    public enum Deed: UInt8, Sendable, CaseIterable {
        /// An event is handled; the number is its place in the flow's catalogue.
        case event = 1
        /// A timer's event is handled; the number is the timer's place.
        case timer
        /// A hook or an orchestrator runs, or what it has come to is handled.
        case work
        /// Somebody looks: what it shows, what it accepts, what its data are.
        case look
        /// A state is forced.
        case force
        /// A command is carried out; the number is the host's own for it.
        case command
        /// It is being restored, from a row whose number stands in the place's stead.
        case restoring
    }

    /// No number, where there is none.
    public static let none = UInt16.max
    /// The place of a session that is only being made.
    public static let nowhere = UInt32.max

    /// Place, number, deed and stamp, from the highest bit down.
    public let word: UInt64

    @inlinable
    public init(_ deed: Deed, _ number: UInt16 = FlightMark.none, of place: UInt32, stamp: UInt8 = 0) {
        word = UInt64(place) << 32 | UInt64(number) << 16 | UInt64(deed.rawValue) << 8 | UInt64(stamp)
    }

    @inlinable
    public init(_ deed: Deed, _ number: UInt16 = FlightMark.none, of machine: AnyMachine) {
        self.init(deed, number, of: machine.tag, stamp: machine.stamp)
    }

    /// Nil if it is no mark that this could have made.
    public init?(word: UInt64) {
        guard Deed(rawValue: UInt8(truncatingIfNeeded: word >> 8)) != nil else { return nil }
        self.word = word
    }

    public var place: UInt32 { UInt32(truncatingIfNeeded: word >> 32) }
    public var number: UInt16 { UInt16(truncatingIfNeeded: word >> 16) }
    public var stamp: UInt8 { UInt8(truncatingIfNeeded: word) }
    public var deed: Deed { Deed(rawValue: UInt8(truncatingIfNeeded: word >> 8)) ?? .look }
}

/// Where the mark stands. What runs a flow's code writes it once before and once after.
public struct FlightRecorder: Sendable {
    @usableFromInline let mark: SharedWord

    /// In eight bytes that are aligned, and outlive this.
    package init(at memory: UnsafeMutableRawPointer) {
        mark = SharedWord(at: memory)
    }

    /// Returns what stood there, to be put back by `leave`.
    @inlinable @inline(__always)
    public func enter(_ new: FlightMark) -> UInt64 {
        let outer = mark.value
        mark.set(new.word)
        return outer
    }

    /// What stood there before stands there again.
    @inlinable @inline(__always)
    public func leave(_ outer: UInt64) {
        mark.set(outer)
    }

    /// Whether nothing is being done.
    @inlinable public var isClear: Bool { mark.value == 0 }
}

extension AnyMachine {
    /// Runs the flow's code for something that is done with this session.
    @inlinable @inline(__always)
    final func marked<Result, Failure: Error>(
        _ deed: FlightMark.Deed, _ number: UInt16 = FlightMark.none, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let flight = kind.flight
        let outer = flight?.enter(FlightMark(deed, number, of: self)) ?? 0
        defer { flight?.leave(outer) }
        return try body()
    }

    /// The same, where somebody else may have said already what it is done for.
    @inlinable
    final func markedIfNobodyHas<Result, Failure: Error>(
        _ deed: FlightMark.Deed, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let flight = kind.flight, flight.isClear else { return try body() }
        return try marked(deed, FlightMark.none, body)
    }
}
