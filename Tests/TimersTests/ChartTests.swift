// What timers promise, drawn.

import Testing
import Timers

@Suite struct `Timers, charted` {
    @Test func `a countdown fires once, when its length has passed`() throws {
        try chart(.countdown(4, "^---*------"))
    }

    @Test func `a countdown that is left never fires`() throws {
        try chart(.countdown(4, "^--x-------"))
    }

    @Test func `a countdown started anew counts from there`() throws {
        try chart(.countdown(4, "^--^---*---"))
    }

    @Test func `a pendulum swings with its period until it is dropped`() throws {
        try chart(.pendulum(2, "^-*-*-*x---"))
    }

    @Test func `a frozen flow stops all its timers, and they go on with remainder and phase`() throws {
        try chart(
            .clock("...f---r......"),
            .countdown(5, "^--------*----"),
            .pendulum(2, "^-*-----*-*-*-"))
    }

    @Test func `pausing one timer does not affect the others`() throws {
        try chart(
            .countdown(4, "^-p--r-*---"),
            .countdown(4, "^---*------"))
    }

    @Test func `a timer paused individually stays paused when its flow resumes`() throws {
        try chart(
            .clock("..f--r......"),
            .countdown(4, "^p-----r--*-"),
            .countdown(4, "^------*----"))
    }

    @Test func `a timer resumed in a frozen flow goes on when the flow does`() throws {
        try chart(
            .clock("..f----r...."),
            .countdown(4, "^p--r-----*-"))
    }

    @Test func `a timer started in a frozen flow waits for it`() throws {
        try chart(
            .clock("f---r......."),
            .countdown(3, "-^-----*----"),
            .pendulum(2, "--^---*-*-*-"))
    }

    @Test func `time can be added beyond the first length`() throws {
        try chart(.countdown(2, "^>>>-*-----"))
    }

    @Test func `time can be taken, and taking the last of it fires at once`() throws {
        try chart(
            .countdown(6, "^<<-*------"),
            .countdown(9, "^--<<<*----"))
    }

    @Test func `a paused timer takes and gives time standing still`() throws {
        try chart(.countdown(4, "^p>>>----r-----*-"))
    }

    @Test func `a pendulum keeps its phase over a pause`() throws {
        try chart(.pendulum(3, "^--*-p----r*--*--*"))
    }
}
