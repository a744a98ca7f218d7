package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;

/** What the doctor looked at. */
@Extensible
public record DoctorAnswer(List<Finding> findings) {}
