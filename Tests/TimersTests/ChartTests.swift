// The guarantees of timers, drawn as charts.

import Testing
import Timers

@Suite struct `Timers in charts` {
    @Test func `A countdown fires once, when its length has passed`() throws {
        try chart(.countdown(4, "^---*------"))
    }

    @Test func `A countdown that is dropped never fires`() throws {
        try chart(.countdown(4, "^--x-------"))
    }

    @Test func `A countdown that is restarted counts its full length from there`() throws {
        try chart(.countdown(4, "^--^---*---"))
    }

    @Test func `A pendulum swings with its period until it is dropped`() throws {
        try chart(.pendulum(2, "^-*-*-*x---"))
    }

    @Test func `A frozen flow stops all its timers, and they resume with remaining time and phase`() throws {
        try chart(
            .clock("...f---r......"),
            .countdown(5, "^--------*----"),
            .pendulum(2, "^-*-----*-*-*-"))
    }

    @Test func `Pausing one timer does not affect the others`() throws {
        try chart(
            .countdown(4, "^-p--r-*---"),
            .countdown(4, "^---*------"))
    }

    @Test func `A timer paused individually stays paused when its flow resumes`() throws {
        try chart(
            .clock("..f--r......"),
            .countdown(4, "^p-----r--*-"),
            .countdown(4, "^------*----"))
    }

    @Test func `A timer resumed in a frozen flow runs once the flow resumes`() throws {
        try chart(
            .clock("..f----r...."),
            .countdown(4, "^p--r-----*-"))
    }

    @Test func `A timer started in a frozen flow runs once the flow resumes`() throws {
        try chart(
            .clock("f---r......."),
            .countdown(3, "-^-----*----"),
            .pendulum(2, "--^---*-*-*-"))
    }

    @Test func `A countdown can be extended beyond its first length`() throws {
        try chart(.countdown(2, "^>>>-*-----"))
    }

    @Test func `A countdown can be shortened, and fires at once when shortened to zero`() throws {
        try chart(
            .countdown(6, "^<<-*------"),
            .countdown(9, "^--<<<*----"))
    }

    @Test func `A paused countdown can be extended and stays paused`() throws {
        try chart(.countdown(4, "^p>>>----r-----*-"))
    }

    @Test func `A pendulum keeps its phase over a pause`() throws {
        try chart(.pendulum(3, "^--*-p----r*--*--*"))
    }
}
