// Whoever has timers of its own. In the daemon that is a session's machine: the class is open so that a machine can be its own
// host, which saves a million sessions an allocation and a cache miss each.

/// A timer that has fired, and what its owner should know of it.
public struct Firing {
    public let timer: StateTimer
    /// When it was due, which is not after now.
    public let deadline: Instant
    /// Swings of a pendulum that went by unseen before this one, after a stall.
    public let missed: Int

    package init(timer: StateTimer, deadline: Instant, missed: Int) {
        self.timer = timer
        self.deadline = deadline
        self.missed = missed
    }
}

/// Knows its timers, stops and resumes them all at once, and is told when one fires.
open class TimerHost {
    public final let timekeeper: Timekeeper
    /// The head of the chain of timers, the youngest first; the wheel keeps the links.
    @exclusivity(unchecked) private final var youngest = TimerSlab.none
    @exclusivity(unchecked) public private(set) final var isFrozen = false

    public init(on timekeeper: Timekeeper) {
        self.timekeeper = timekeeper
    }

    deinit {
        forEachSlot { slot in
            timer(in: slot).hostIsGone()
            timekeeper.wheel.remove(slot: slot)
        }
    }

    /// One of its timers has fired. A host that reads no firings need not override this.
    open func timerFired(_ firing: Firing) {}

    /// What the host's owner calls it; empty where nobody names it.
    open var sessionName: String { "" }

    /// What a flow is given to start its timers on.
    public final var clock: FlowClock { FlowClock(of: self) }

    /// Every timer that somebody holds, in the order of their making, finished ones included.
    public final var timers: [StateTimer] {
        var timers: [StateTimer] = []
        forEachSlot { timers.append(timer(in: $0)) }
        timers.reverse()
        return timers
    }

    /// Every timer that somebody holds, the youngest first, without making a list of them.
    package final func forEachTimer(_ body: (StateTimer) -> Void) {
        forEachSlot { body(timer(in: $0)) }
    }

    /// Where the youngest timer's record lies, for whoever wants it fetched from memory before it is needed.
    package final var youngestRecord: UnsafeRawPointer? {
        youngest == TimerSlab.none ? nil : UnsafeRawPointer(timekeeper.wheel.slab[youngest])
    }

    /// Where the youngest timer itself lies.
    package final var youngestTimer: UnsafeRawPointer? {
        youngest == TimerSlab.none ? nil : UnsafeRawPointer(bitPattern: timekeeper.wheel.slab[youngest].pointee.token)
    }

    // MARK: The flow's clock

    final func freeze() {
        guard !isFrozen else { return }
        isFrozen = true
        timersInOrderOfArming.forEach { $0.followClock(of: self) }
    }

    final func resume() {
        guard isFrozen else { return }
        isFrozen = false
        timersInOrderOfArming.forEach { $0.followClock(of: self) }
    }

    /// Stopping and going on must not change who is first among equal deadlines.
    private final var timersInOrderOfArming: [StateTimer] {
        timers.sorted { $0.generation < $1.generation }
    }

    // MARK: For its timers

    final func adopt(_ timer: StateTimer) -> UInt32 {
        let token = UInt(bitPattern: Unmanaged.passUnretained(timer).toOpaque())
        let slot = timekeeper.wheel.add(token: token).slot
        timekeeper.wheel.slab[slot].pointee.sibling = youngest
        youngest = slot
        return slot
    }

    final func forget(_ slot: UInt32) {
        let next = timekeeper.wheel.slab[slot].pointee.sibling
        if youngest == slot {
            youngest = next
        } else {
            var elder = timekeeper.wheel.slab[youngest]
            while elder.pointee.sibling != slot { elder = timekeeper.wheel.slab[elder.pointee.sibling] }
            elder.pointee.sibling = next
        }
        timekeeper.wheel.remove(slot: slot)
    }

    private final func forEachSlot(_ body: (UInt32) -> Void) {
        var slot = youngest
        while slot != TimerSlab.none {
            let next = timekeeper.wheel.slab[slot].pointee.sibling
            body(slot)
            slot = next
        }
    }

    private final func timer(in slot: UInt32) -> StateTimer {
        .of(token: timekeeper.wheel.slab[slot].pointee.token)
    }
}
