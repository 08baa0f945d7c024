// Three ways to keep many timers, behind one face: our wheel, libevent's heap, libevent's common-timeout queues.

import CEvent
import Console
import Glibc
import Timers

/// Something that keeps numbered timers. Each measure does the same with every rival.
protocol TimerRival: AnyObject {
    init(timers: Int)
    func armAll(_ random: inout QuickRandom)
    /// Prepares to cancel and arm timers at random: which ones and for how long is chosen before the clock starts.
    func prepareRearm(_ operations: Int, _ random: inout QuickRandom) -> () -> Void
    func cancelAll()
    /// Arms every timer within a thousandth of a second, and gives back what fires them all.
    func prepareExpiry(_ random: inout QuickRandom) -> () -> Void
    /// Runs where the rival's own users would call it.
    func inside(_ body: () -> Void)
}

/// Delays are spread over a minute, as in a hall full of games.
private let spread = 60_000_000

final class WheelRival: TimerRival {
    // As a timekeeper has it: without a check of exclusive access at every call.
    @exclusivity(unchecked) private var wheel = TimerWheel()
    private let slots: UnsafeMutablePointer<UInt32>
    private var now: Int64 = 0
    private let count: Int

    init(timers: Int) {
        count = timers
        slots = .allocate(capacity: timers)
        for timer in 0..<timers { (slots + timer).initialize(to: wheel.add(token: UInt(timer)).slot) }
    }

    deinit {
        slots.deallocate()
    }

    var bytesPerTimer: Double { Double(wheel.footprint) / Double(count) }

    func armAll(_ random: inout QuickRandom) {
        for timer in 0..<count { wheel.arm(slot: slots[timer], at: deadline(&random)) }
    }

    func prepareRearm(_ operations: Int, _ random: inout QuickRandom) -> () -> Void {
        let picks = (0..<operations).map { _ in (slot: slots[random.next(below: count)], deadline: deadline(&random)) }
        return { [self] in
            for pick in picks {
                wheel.disarm(slot: pick.slot, as: .idle)
                wheel.arm(slot: pick.slot, at: pick.deadline)
            }
        }
    }

    func cancelAll() {
        for timer in 0..<count { wheel.disarm(slot: slots[timer], as: .idle) }
    }

    @inline(__always)
    private func deadline(_ random: inout QuickRandom) -> Instant {
        Instant(nanoseconds: now + Int64(random.next(below: spread)) * 1_000)
    }

    func prepareExpiry(_ random: inout QuickRandom) -> () -> Void {
        for timer in 0..<count {
            wheel.arm(slot: slots[timer], at: Instant(nanoseconds: now + Int64(random.next(below: 1_000_000))))
        }
        now += 1_000_000
        return { [self] in
            var (fired, moves) = (0, Int.max)
            while wheel.popDue(at: Instant(nanoseconds: now), &moves) != nil { fired += 1 }
            precondition(fired == count)
        }
    }

    func inside(_ body: () -> Void) { body() }
}

/// libevent's timers, in memory of their own, so that no malloc is measured.
class LibeventRival: TimerRival {
    fileprivate let base: OpaquePointer
    private let memory: UnsafeMutableRawPointer
    private let stride = event_get_struct_event_size()
    /// An event, and its place in the heap.
    var bytesPerTimer: Double { Double(stride + MemoryLayout<OpaquePointer>.stride) }
    fileprivate let count: Int
    fileprivate var fired = 0

    required init(timers: Int) {
        guard let base = event_base_new() else { preconditionFailure("no event base") }
        self.base = base
        count = timers
        memory = .allocate(byteCount: stride * timers, alignment: 16)
        let me = Unmanaged.passUnretained(self).toOpaque()
        for timer in 0..<timers {
            event_assign(
                event(timer), base, -1, 0,
                { _, _, context in
                    guard let context else { return }
                    Unmanaged<LibeventRival>.fromOpaque(context).takeUnretainedValue().fired += 1
                }, me)
        }
    }

    deinit {
        for timer in 0..<count { event_del(event(timer)) }
        event_base_free(base)
        memory.deallocate()
    }

    fileprivate func event(_ timer: Int) -> OpaquePointer {
        OpaquePointer(memory + stride * timer)
    }

    func armAll(_ random: inout QuickRandom) {
        for timer in 0..<count { arm(timer, &random) }
    }

    func prepareRearm(_ operations: Int, _ random: inout QuickRandom) -> () -> Void {
        let picks = (0..<operations).map { _ in (event: event(random.next(below: count)), delay: delay(&random)) }
        return {
            for pick in picks {
                event_del(pick.event)
                var delay = pick.delay
                event_add(pick.event, &delay)
            }
        }
    }

    func cancelAll() {
        for timer in 0..<count { event_del(event(timer)) }
    }

    fileprivate func arm(_ timer: Int, _ random: inout QuickRandom) {
        var delay = delay(&random)
        event_add(event(timer), &delay)
    }

    fileprivate func delay(_ random: inout QuickRandom) -> timeval {
        let microseconds = random.next(below: spread)
        return timeval(tv_sec: microseconds / 1_000_000, tv_usec: microseconds % 1_000_000)
    }

    func prepareExpiry(_ random: inout QuickRandom) -> () -> Void {
        for timer in 0..<count {
            var delay = timeval(tv_sec: 0, tv_usec: random.next(below: 1_000))
            event_add(event(timer), &delay)
        }
        return fireAll()
    }

    fileprivate func fireAll() -> () -> Void {
        usleep(5_000)
        fired = 0
        return { [self] in
            event_base_loop(base, EVLOOP_NONBLOCK)
            precondition(fired == count)
        }
    }

    /// In a callback libevent knows the time already; outside it would read the clock for every call.
    func inside(_ body: () -> Void) {
        withoutActuallyEscaping(body) { body in
            let box = Box(body)
            event_base_once(
                base, -1, Int16(EV_TIMEOUT),
                { _, _, context in
                    guard let context else { return }
                    Unmanaged<Box>.fromOpaque(context).takeUnretainedValue().body()
                }, Unmanaged.passUnretained(box).toOpaque(), nil)
            event_base_loop(base, EVLOOP_ONCE)
            box.body = {}
        }
    }
}

private final class Box {
    var body: () -> Void

    init(_ body: @escaping () -> Void) {
        self.body = body
    }
}

/// Its users must choose among a few lengths that they have registered: here sixteen, over the same minute.
final class CommonTimeoutRival: LibeventRival {
    private var lengths: [UnsafePointer<timeval>] = []

    required init(timers: Int) {
        super.init(timers: timers)
        lengths = (1...16).compactMap { index in
            var length = timeval(tv_sec: index * spread / 1_000_000 / 16, tv_usec: 0)
            return event_base_init_common_timeout(base, &length)
        }
    }

    /// A length that is marked as one of the queues' own.
    override func delay(_ random: inout QuickRandom) -> timeval {
        lengths[random.next(below: lengths.count)].pointee
    }

    override func prepareExpiry(_ random: inout QuickRandom) -> () -> Void {
        var short = timeval(tv_sec: 0, tv_usec: 900)
        guard let length = event_base_init_common_timeout(base, &short) else { preconditionFailure("no queue") }
        for timer in 0..<count { event_add(event(timer), length) }
        return fireAll()
    }
}
