"""Alarms: someone should look when a dead letter lies anywhere."""

from collections.abc import Mapping

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from aws_cdk.aws_sns_subscriptions import EmailSubscription
from constructs import Construct

from infra.names import pascal


class Alarms(Construct):
    """One alarm per dead-letter queue; by e-mail, if there is an address."""

    def __init__(
        self, scope: Construct, id: str, *, dead_letters: Mapping[str, sqs.IQueue], email: str
    ) -> None:
        super().__init__(scope, id)
        topic = self._topic(email) if email else None
        for name, queue in dead_letters.items():
            alarm = self._dead_letter_alarm(name, queue)
            if topic:
                alarm.add_alarm_action(actions.SnsAction(topic))

    def _dead_letter_alarm(self, name: str, queue: sqs.IQueue) -> cloudwatch.Alarm:
        return cloudwatch.Alarm(
            self,
            f"{pascal(name)}DeadLetters",
            alarm_description=f"Dead letters of {name}: what could not be processed lies there, for 14 days",
            metric=queue.metric_approximate_number_of_messages_visible(
                period=Duration.minutes(1), statistic=cloudwatch.Stats.MAXIMUM
            ),
            threshold=0,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
            evaluation_periods=1,
            # An idle queue stops reporting after six hours.
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )

    def _topic(self, email: str) -> sns.Topic:
        # Alarms cannot publish under AWS's own SNS key: its policy cannot be changed to admit CloudWatch.
        # https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
        key = kms.Key(self, "Key", enable_key_rotation=True, removal_policy=RemovalPolicy.DESTROY)
        key.grant(iam.ServicePrincipal("cloudwatch.amazonaws.com"), "kms:Decrypt", "kms:GenerateDataKey*")
        topic = sns.Topic(self, "Topic", master_key=key, enforce_ssl=True)
        topic.add_subscription(EmailSubscription(email))
        return topic
