// The owner of timers. In the daemon that is a session's machine: the class is open so that a machine can be its own host, which
// saves each session an allocation and each event a cache miss.

import Memory

/// A timer that has fired.
public struct Firing {
    /// The timer itself.
    public let timer: StateTimer
    /// When it was due; never later than now.
    public let deadline: Instant
    /// Swings that a pendulum missed before this one, after a stall.
    public let missed: Int
    /// The index of its milestone among the plan's; negative if the timer itself has come to its end, or swings.
    @usableFromInline let milestoneIndex: Int

    package init(timer: StateTimer, deadline: Instant, missed: Int, milestone index: Int = -1) {
        self.timer = timer
        self.deadline = deadline
        self.missed = missed
        milestoneIndex = index
    }

    /// Whether the firing is a milestone, after which the countdown continues.
    @inlinable public var isMilestone: Bool { milestoneIndex >= 0 }

    /// The milestone that has come; nil if the timer itself has come to its end, or swings.
    public var milestone: Milestone? { isMilestone ? timer.plan.milestones[milestoneIndex] : nil }
}

/// The links of a host's timers, from the youngest to the oldest. The wheel keeps them; behind the oldest stands the host's number in
/// the table of hosts, so that a host does not store it.
enum TimerChain {
    /// Marks the end.
    static let end: UInt32 = 1 << 31

    static func isSlot(_ link: UInt32) -> Bool { link < end }
}

/// Lists its timers, freezes and resumes them together, and is called when one fires.
open class TimerHost {
    /// The time that its timers run on.
    public final let timekeeper: Timekeeper
    /// The youngest timer's slot, which begins the chain of timers.
    @exclusivity(unchecked) private final var youngest: UInt32 = 0
    /// Whether its timers are frozen, whether the daemon froze them, and their number, packed into one byte.
    @usableFromInline @exclusivity(unchecked) final var flags: UInt8 = 0
    /// Whether its timers are frozen.
    public private(set) final var isFrozen: Bool {
        get { flags & Self.frozen != 0 }
        set { flags = flags & ~Self.frozen | (newValue ? Self.frozen : 0) }
    }
    /// Whether the daemon froze its timers, since they would fire without end. Ends with `resume`.
    package final var isHalted: Bool { flags & Self.halted != 0 }

    /// A host without timers.
    public init(on timekeeper: Timekeeper) {
        self.timekeeper = timekeeper
        youngest = TimerChain.end | HostTable.add(self)
    }

    deinit {
        forgetHalt()
        let number = number
        forEachSlot { slot in
            timer(in: slot).with { $0.hostIsGone() }
            timekeeper.wheel.remove(slot: slot)
        }
        HostTable.remove(number)
    }

    /// One of its timers has fired.
    open func timerFired(_ firing: Firing) {}

    /// The timer is about to be paused, resumed or extended; nil if all are about to be frozen or resumed.
    open func timersWillChange(_ timer: StateTimer?) {}

    /// A timer is about to be read or changed. For a host without a loop that begins turns.
    func readClock() {}

    /// One of its timers was paused, resumed or extended, or all were frozen or resumed. For a host without a loop that looks when to wake next.
    func timersChanged() {}

    /// The name that the host's owner gave it; may be empty.
    open var sessionName: String { "" }

    /// The name of the session that created this one; nil without a parent.
    open var parentName: String? { nil }

    /// The clock on which a flow starts its timers.
    public final var clock: FlowClock { FlowClock(of: self) }

    /// All timers that are still referenced, oldest first, including finished ones.
    public final var timers: [StateTimer] {
        var timers: [StateTimer] = []
        forEachSlot { timers.append(timer(in: $0).object) }
        timers.reverse()
        return timers
    }

    /// Visits all timers that are still referenced, youngest first, without building a list.
    package final func forEachTimer(_ body: (StateTimer) -> Void) {
        forEachSlot { timer(in: $0).with(body) }
    }

    /// The slot of its timer that is due next.
    final func nextDue(at now: Instant) -> UInt32? {
        let due = timers.compactMap { timer in timer.nextFiring.map { (timer, $0) } }.filter { $0.1 <= now }
        return due.min { ($0.1, $0.0.generation) < ($1.1, $1.0.generation) }?.0.slot
    }

    // MARK: Addresses, for prefetching

    /// The youngest timer's record.
    package final var youngestRecord: UnsafeRawPointer? {
        !TimerChain.isSlot(youngest) ? nil : timekeeper.wheel.slab.records.place(of: youngest)
    }

    /// The youngest timer. Reads its record.
    package final var youngestTimer: UnsafeRawPointer? {
        !TimerChain.isSlot(youngest) ? nil : UnsafeRawPointer(bitPattern: timekeeper.wheel.slab.records[youngest].token)
    }

    // MARK: The flow's clock

    final func freeze() {
        guard !isFrozen else { return }
        timersWillChange(nil)
        readClock()
        isFrozen = true
        haveTimersFollow()
        timersChanged()
    }

    final func resume() {
        guard isFrozen else { return }
        timersWillChange(nil)
        readClock()
        isFrozen = false
        forgetHalt()
        haveTimersFollow()
        timersChanged()
    }

    /// Freezes, and remembers that no operator and no flow asked for it.
    package final func halt() {
        freeze()
        guard !isHalted else { return }
        flags |= Self.halted
        timekeeper.haltedCount += 1
    }

    /// It is frozen like any other from now on.
    package final func forgetHalt() {
        guard isHalted else { return }
        flags &= ~Self.halted
        timekeeper.haltedCount -= 1
    }

    private final func haveTimersFollow() {
        switch flags & Self.many {
        case 0: return
        case 1: timer(in: youngest).with { $0.updateClock(of: self) }
        // Freezing must not change which timer is first among equal deadlines.
        default: timers.sorted { $0.generation < $1.generation }.forEach { $0.updateClock(of: self) }
        }
    }

    /// Gives restored timers the order in which they were armed before, which decides among equal deadlines. It is not saved: of two that are due at one
    /// instant, the longer was armed first, unless one was extended or resumed since.
    package final func restoreOrderOfArming() {
        guard flags & Self.many > 1 else { return }
        let order = timers.sorted {
            ($1.plan.nanoseconds, $0.generation) < ($0.plan.nanoseconds, $1.generation)
        }
        order.forEach { $0.renumber(on: self) }
    }

    // MARK: For its timers

    /// A slot for a new timer.
    final func adopt(_ timer: StateTimer) -> UInt32 {
        let slot = timekeeper.wheel.add(token: Borrowed(timer).token).slot
        timekeeper.wheel.slab.records[slot].sibling = youngest
        youngest = slot
        timekeeper.step.made &+= 1
        if flags & Self.many != Self.many { flags += 1 }
        return slot
    }

    /// Starts its youngest timer again in place, if it is in the middle of a step that allows it. False if a new timer has to be made.
    @inline(__always)
    final func renew(_ slot: UInt32, left: Int64) -> Bool {
        guard timekeeper.mayRenewTimer(of: self), youngest == slot else { return false }
        timekeeper.renew(slot, left: left, of: self)
        return true
    }

    /// The same with another plan.
    final func renew(_ timer: StateTimer, _ plan: TimerPlan) -> Bool {
        guard renew(timer.slot, left: plan.nanoseconds) else { return false }
        if timer.plan !== plan { timekeeper.replacePlan(of: timer, with: plan) }
        return true
    }

    /// Gives the slot of a timer back.
    final func forget(_ slot: UInt32) {
        let next = timekeeper.wheel.slab.records[slot].sibling
        if youngest == slot {
            youngest = next
        } else {
            var younger = youngest
            while timekeeper.wheel.slab.records[younger].sibling != slot {
                younger = timekeeper.wheel.slab.records[younger].sibling
            }
            timekeeper.wheel.slab.records[younger].sibling = next
        }
        timekeeper.wheel.remove(slot: slot)
        if flags & Self.many != Self.many { flags -= 1 }
    }

    /// Its number in the table of hosts.
    final var number: UInt32 {
        var slot = youngest
        while TimerChain.isSlot(slot) { slot = timekeeper.wheel.slab.records[slot].sibling }
        return slot & ~TimerChain.end
    }

    private final func forEachSlot(_ body: (UInt32) -> Void) {
        var slot = youngest
        while TimerChain.isSlot(slot) {
            let next = timekeeper.wheel.slab.records[slot].sibling
            body(slot)
            slot = next
        }
    }

    /// A used slot always has a live timer, which frees the slot in its deinit.
    private final func timer(in slot: UInt32) -> Borrowed<StateTimer> {
        Borrowed(token: timekeeper.wheel.slab.records[slot].token)
    }
}

// MARK: Timers that no state carries

extension TimerHost {
    /// Whether it may have timers from before this step. One that fires always counts: a step can drop timers that it has made.
    @inlinable package final var mayHaveOlderTimers: Bool {
        UInt32(flags & Self.many) > timekeeper.step.made || timekeeper.step.isFiring || flags & Self.many == Self.many
    }

    private static var frozen: UInt8 { 0x80 }
    private static var halted: UInt8 { 0x40 }
    /// The count saturates here.
    @inlinable static var many: UInt8 { 0x3F }

    /// Whether every timer that could still fire is seen in the value of a state itself, as nearly all are. If not, the
    /// state may hold it indirectly, or its state has been left and a copy of that is still held.
    @inlinable package final func seesAllTimers<State>(in state: inout State) -> Bool {
        let size = MemoryLayout<State>.size
        // A value smaller than a word holds no reference; one of whole words is inspected in place.
        guard size >= MemoryLayout<UInt>.size else { return false }
        return withUnsafePointer(to: &state) { seesAllTimers(in: UnsafeRawBufferPointer(start: $0, count: size)) }
    }

    @usableFromInline
    final func seesAllTimers(in value: UnsafeRawBufferPointer) -> Bool {
        var slot = youngest
        while TimerChain.isSlot(slot) {
            let record = timekeeper.wheel.slab.records[slot]
            guard Self.contains(value, record.token) || record.place.standing == .idle else { return false }
            slot = record.sibling
        }
        return true
    }

    private static var addressBits: UInt { 0x00FF_FFFF_FFFF_FFF8 }

    /// Whether a value refers to an object. Enums keep tags in a reference's spare bits, which do not count.
    private static func contains(_ value: UnsafeRawBufferPointer, _ token: UInt) -> Bool {
        guard var word = value.baseAddress else { return false }
        let end = word + value.count
        while word + MemoryLayout<UInt>.size <= end {
            if (word.load(as: UInt.self) ^ token) & addressBits == 0 { return true }
            word += MemoryLayout<UInt>.size
        }
        return false
    }

    /// The same for the one timer that is firing.
    @inlinable package final func sees(_ timer: StateTimer, in state: inout some Any) -> Bool {
        withUnsafeBytes(of: &state) { Self.sees(timer, in: $0) }
    }

    @usableFromInline
    static func sees(_ timer: StateTimer, in value: UnsafeRawBufferPointer) -> Bool {
        contains(value, Borrowed(timer).token)
    }

    /// Stops matching timers, even if they are still referenced.
    @usableFromInline package final func stopTimers(where isLeft: (StateTimer) -> Bool) {
        forEachSlot { slot in
            let timer = timer(in: slot)
            if timer.with(isLeft) { timer.object.stop() }
        }
    }
}
