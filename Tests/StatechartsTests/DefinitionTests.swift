import Testing

@testable import Statecharts

@Suite struct `Descriptors of events` {
    @Test(arguments: [
        (EventDescriptor.exact("a.b"), "a.b", true), (.exact("a.b"), "a", false), (.prefix("a"), "a", true),
        (.prefix("a"), "a.b.c", true), (.prefix("a"), "ab", false), (.any, "a", true),
    ])
    func `A prefix descriptor matches whole words of an event's name`(
        _ descriptor: EventDescriptor, _ event: String, _ matches: Bool
    ) {
        #expect(descriptor.matches(event) == matches)
    }
}
