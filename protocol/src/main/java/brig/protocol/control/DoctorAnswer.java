package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;

/** The findings of the doctor. */
@Extensible
public record DoctorAnswer(List<Finding> findings) {}
