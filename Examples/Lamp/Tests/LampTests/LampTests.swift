import GameFlow
import Testing

@testable import Lamp

@Test func `the lamp goes off by itself, two minutes after the last press`() throws {
    let lamp = try FlowUnderTest { Lamp(clock: $0) }
    try lamp.send(.press)
    lamp.advance(.seconds(119))
    try lamp.send(.press)
    lamp.advance(.seconds(119.999))
    #expect(lamp.state == "on")
    lamp.advance(.milliseconds(1))
    #expect(lamp.state == "off")
}
