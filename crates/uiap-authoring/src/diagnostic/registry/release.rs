//! Codes 180 to 209: reviews, waivers and gates.

super::declare! {
    UNKNOWN_REVIEW_TARGET = 180 Error "review of something unknown",
        "A decision or waiver names a manifest, item or path that does not exist in the effective content. It \
         would silently approve nothing.",
        "itemId: video.create_frist_video";
    BAD_TIME = 181 Error "not a point in time",
        "Decisions and waivers carry date, time and offset, and decisions lie in the past. Without an offset \
         the order of two decisions would depend on the reader.",
        "at: 2026-03-26T17:00:00";
    REVIEW_TIE = 182 Warning "two decisions at the same time",
        "Two decisions on one target carry the same time and different states. The stricter one counts.",
        "approved and rejected at 17:00:00Z";
    BAD_WAIVER = 183 Error "waiver is not valid",
        "A waiver gives a reason and ends after it begins. One without a reason cannot be judged by the next \
         reader, and one that ends first never counts.",
        "reason: \"\"";
    LONG_WAIVER = 184 Warning "waiver runs long",
        "A waiver is an exception. One without an end, or with an end more than 90 days away, tends to become \
         the rule.",
        "a waiver without expiresAt";
    APPROVAL_DROPPED = 185 Warning "overlay takes an approval away",
        "An overlay changes a workflow that was approved, and the overlay itself is not approved. The \
         approval was given to something else, so it no longer counts.",
        "a draft overlay on an approved workflow";
    STALE_APPROVAL = 186 Warning "content changed since its digest was recorded",
        "`status.digest` records the content that was approved. The content has another digest now. In a \
         build for `prod` the approval does not count until it is renewed.",
        "an edit after the approval";
    SELF_APPROVAL = 187 Warning "owner approves the own manifest",
        "The only approval comes from a person who owns the manifest. A second pair of eyes finds what the \
         first overlooked.",
        "by: patrick, owners: [patrick]";
    GATE_FAILED = 188 Error "publish gate failed",
        "The channel requires something that the content does not meet: a review state, a human origin, a \
         digest. The note names the gate. No bundle is written.",
        "prod requires approved, the workflow is in_review";
    WAIVER_USED = 189 Warning "passes by waiver",
        "The content does not meet the gate and a waiver lets it pass on this channel. It is listed so that \
         nobody forgets.",
        "a waiver on staging";
    DEPRECATED_CONTENT = 190 Warning "deprecated content is released",
        "The manifest is marked deprecated and a decision approves it nevertheless. It is released, and users \
         of it should move on.",
        "reviewState: deprecated with an approval";
}
